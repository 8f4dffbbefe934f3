import type { Vector } from '../../../../ports/embedder.js'
import type { Skill } from '../../../../records/skill.js'
import { foldCopies } from '../../../../text/fold-hits.js'
import { othersThanCopies } from '../../../../text/near-copies.js'
import type { SqliteDatabase } from '../database.js'
import { copyKeysOf, sketchesOf } from './copies.js'
import { documentsWithSkills, textHash } from './index-tables.js'
import { type Near, nearestTo, vectorIn } from './nearest.js'
import type { VectorCodes } from './vector-codes.js'

/** The documents nearest to that of a skill, without itself; of copies only the first, and none of its own. */
export function relatedTo(db: SqliteDatabase, codes: VectorCodes, id: string, limit: number): Near[] {
  const rank = db.get<{ rank: number }>(`SELECT rank FROM ${documentsWithSkills} WHERE s.id = ?`, [id])?.rank
  if (rank === undefined) {
    return []
  }
  const near = nearestTo(db, codes, rank, limit)
  const keys = copyKeysOf(db, [rank, ...near.map((each) => each.rank)])
  const own = keys.get(rank)
  const others = foldCopies(
    near.filter((each) => own === undefined || keys.get(each.rank) !== own),
    (each) => keys.get(each.rank) ?? `${each.rank}`,
  )
  const sketches = sketchesOf(db, [rank, ...others.map((each) => each.rank)])
  const sketchOf = (each: number) => sketches.get(each) ?? null
  return othersThanCopies(sketchOf(rank), others, (each) => sketchOf(each.rank)).slice(0, limit)
}

/** The vectors that an index has of these skills' present texts, by id. */
export function vectorsOf(db: SqliteDatabase, skills: Skill[]): Map<string, Vector> {
  const hashes = new Map(skills.map((skill) => [skill.id, textHash(skill)]))
  const rows = db.all<{ id: string; text_hash: number; vector: ArrayBuffer }>(
    `SELECT s.id AS id, text_hash, vector FROM json_each(?) m CROSS JOIN catalog.skills s ON s.id = m.value
     CROSS JOIN documents d ON d.skill = s.rowid CROSS JOIN vectors v ON v.rank = d.rank`,
    [JSON.stringify([...hashes.keys()])],
  )
  const known = rows.filter(({ id, text_hash }) => text_hash === hashes.get(id))
  return new Map(known.map(({ id, vector }) => [id, vectorIn(vector)]))
}
