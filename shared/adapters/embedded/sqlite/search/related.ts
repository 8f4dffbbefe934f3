import type { Vector } from '../../../../ports/embedder.js'
import { skillOf } from '../../../../ports/search-index.js'
import type { Skill } from '../../../../records/skill.js'
import { embeddedText } from '../../../../text/embedded-text.js'
import { foldCopies } from '../../../../text/fold-copies.js'
import type { SqliteDatabase } from '../database.js'
import { copyKeysOf } from './copies.js'
import type { Slot } from './index-tables.js'
import { type Near, nearestTo, vectorIn } from './nearest.js'
import type { VectorCodes } from './vector-codes.js'

/** The documents nearest to that of a skill, without itself; of copies only the first, and none of its own. */
export function relatedTo(db: SqliteDatabase, slot: Slot, codes: VectorCodes, id: string, limit: number): Near[] {
  const rank = db.get<{ rank: number }>(`SELECT rank FROM documents_${slot} WHERE id = ?`, [id])?.rank
  if (rank === undefined) {
    return []
  }
  const near = nearestTo(db, slot, codes, rank, limit)
  const keys = copyKeysOf(db, slot, [rank, ...near.map((each) => each.rank)])
  const own = keys.get(rank)
  const others = near.filter((each) => own === undefined || keys.get(each.rank) !== own)
  return foldCopies(others, (each) => keys.get(each.rank) ?? `${each.rank}`).slice(0, limit)
}

/** The vectors that a slot has of these skills' present texts, by id. */
export function vectorsOf(db: SqliteDatabase, slot: Slot, skills: Skill[]): Map<string, Vector> {
  const known = new Map<string, Vector>()
  for (const skill of skills) {
    const row = db.get<{ skill: string; vector: ArrayBuffer }>(
      `SELECT skill, vector FROM documents_${slot} d JOIN vectors_${slot} v ON v.rank = d.rank WHERE id = ?`,
      [skill.id],
    )
    if (row !== null && embeddedText(skillOf({ record: row.skill })) === embeddedText(skill)) {
      known.set(skill.id, vectorIn(row.vector))
    }
  }
  return known
}
