import type { Vector } from '../../../../ports/embedder.js'
import type { FacetName } from '../../../../ports/filter-table.js'
import type { FacetCount, SearchHit, SearchQuery } from '../../../../ports/search-index.js'
import { firstOfRepositories, foldCopies, othersThanCopies } from '../../../../ranking/copies.js'
import { findSkillMatches, patternsOf, withText } from '../../../../ranking/find-matches.js'
import { Weigher } from '../../../../ranking/weigh.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import { stateCodes } from '../catalog/skill-record.js'
import type { SqliteDatabase } from '../database.js'
import { type Near, nearestTo, type TextMatches, vectorIn } from './candidates.js'
import { copyKeysOf, countCopies, sketchesOf } from './copies.js'
import { documentsWithSkills, textHash } from './index-tables.js'
import { listOf, type PreparedSearch, readTexts, textsOf } from './ranks.js'
import type { RankedMatch } from './search.js'
import type { VectorCodes } from './vector-codes.js'

/** The records of documents, as JSON, by rank; absent: the skill is not published any more. */
export function recordsAt(db: SqliteDatabase, ranks: number[]): Map<number, string> {
  return readTexts(
    db,
    `SELECT d.rank AS rank, s.record AS text FROM json_each(?) m CROSS JOIN ${documentsWithSkills}
     WHERE d.rank = m.value AND s.state = ?`,
    [listOf(ranks), stateCodes.published],
  )
}

/** The best match of each repository. */
export function bestOfRepositories(db: SqliteDatabase, matches: RankedMatch[]): RankedMatch[] {
  const rows = db.all<{ rank: number; id: string }>(
    `SELECT d.rank AS rank, s.id AS id FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value`,
    [listOf(matches.map(({ rank }) => rank))],
  )
  const ids = new Map(rows.map(({ rank, id }) => [rank, id]))
  const first = firstOfRepositories(matches, ({ rank }) => ids.get(rank) ?? String(rank))
  return first.map(({ hit, others }) => ({ ...hit, others }))
}

/** The hits of a page, with all that the query asks for. */
export function readHits(
  { db, read }: PreparedSearch,
  query: SearchQuery,
  page: RankedMatch[],
  conceptsIn: TextMatches['conceptsIn'],
): SearchHit[] {
  const ranks = page.map(({ rank }) => rank)
  const records = recordsAt(db, ranks)
  const inTexts = new Map(ranks.map((rank) => [rank, conceptsIn(rank)]))
  const explained = query.explain ? ranks : ranks.filter((rank) => inTexts.get(rank)?.length)
  const texts = explained.length === 0 ? new Map<number, string>() : textsOf(db, explained)
  const near = page.flatMap(({ nearCopies = [] }) => nearCopies)
  const copies = query.fold ? countCopies(db, [...ranks, ...near], query.filters) : null
  const copiesOf = (rank: number) => copies?.get(rank) ?? 0
  const weigher = new Weigher(read)
  return page.flatMap(({ rank, placement, score, similarity = null, others = null, nearCopies = [] }): SearchHit[] => {
    const record = records.get(rank)
    const lines = texts.get(rank)
    const inFields = lines === undefined ? [] : weigher.explain(lines)
    const { words, stems } = withText(read, inFields, lines === undefined ? [] : (inTexts.get(rank) ?? []))
    return record === undefined
      ? []
      : [
          {
            record,
            score,
            matches: query.highlight ? findSkillMatches(skillOf({ record }), patternsOf(read)) : null,
            explanation: query.explain ? { placement, words, similarity } : null,
            duplicates: nearCopies.reduce((sum, each) => sum + 1 + copiesOf(each), copiesOf(rank)),
            textWords: stems,
            others,
          },
        ]
  })
}

/** Values returned of a facet. */
const maxFacetValues = 20

/** The most frequent values of a facet among the matches. */
export function facetCounts({ db }: PreparedSearch, matches: RankedMatch[], facet: FacetName): FacetCount[] {
  // Owners are logins, in lower case.
  const value = facet === 'owner' ? 'lower(t.value)' : 't.value'
  return db
    .all(
      // Values that differ in case only are one value, as for filters.
      `SELECT min(${value}) AS value, count(*) AS count
       FROM json_each(?) m CROSS JOIN ${documentsWithSkills} CROSS JOIN json_each(s.record, '$.${facet}') t
       WHERE d.rank = m.value AND t.value IS NOT NULL GROUP BY lower(t.value)
       ORDER BY count(*) DESC, min(${value}) LIMIT ?`,
      [listOf(matches.map(({ rank }) => rank)), maxFacetValues],
    )
    .map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}

/** The documents nearest to that of a skill: without itself and its copies, and one of each set of other copies. */
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
    (each) => keys.get(each.rank) ?? null,
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
