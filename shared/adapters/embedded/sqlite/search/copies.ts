import type { SkillFilters } from '../../../../ports/filter-table.js'
import type { Placement } from '../../../../ports/search-index.js'
import { foldCopies, foldNearCopies, maxCompared, type Sketch, sketchIn } from '../../../../ranking/copies.js'
import type { SqliteDatabase } from '../database.js'
import { documentsWithSkills } from './index-tables.js'
import { columnOf, type PreparedSearch, textsOf } from './ranks.js'
import { rowConditions } from './vocabulary.js'

/** The copy keys of the documents that others repeat, by rank. */
export function copyKeysOf(db: SqliteDatabase, ranks: number[]): Map<number, number> {
  return new Map([...columnOf(db, 'copies', 'copy_key', ranks)].map(([rank, key]) => [rank, Number(key)]))
}

/** The sketches of documents, by rank. */
export const sketchesOf = (db: SqliteDatabase, ranks: number[]): Map<number, Sketch | null> =>
  new Map([...columnOf(db, 'texts', 'sketch', ranks)].map(([rank, sketch]) => [rank, sketchIn(sketch)]))

/** A key of these documents: equal for copies, where the search leaves them out; null: it leaves out none of it. */
export function foldKeys(
  { db, query }: PreparedSearch,
  matches: { rank: number }[],
): (match: { rank: number }) => number | null {
  const ranks = query.fold ? matches.map(({ rank }) => rank) : []
  const keys = copyKeysOf(db, ranks)
  return ({ rank }) => keys.get(rank) ?? null
}

/** The matches, of copies only the best where the search leaves out copies. */
export const withoutCopies = <M extends { rank: number; placement: Placement }>(
  search: PreparedSearch,
  matches: M[],
): M[] => foldCopies(matches, foldKeys(search, matches))

/** The matches without the near copies of better ones, see `foldNearCopies`, where the search leaves out copies. */
export function withoutNearCopies<M extends { rank: number; placement: Placement }>(
  { db, query, read }: PreparedSearch,
  matches: M[],
): (M & { nearCopies?: number[] })[] {
  if (!query.fold) {
    return matches
  }
  const sketches = sketchesOf(
    db,
    matches.slice(0, maxCompared).map(({ rank }) => rank),
  )
  const comparedOf = ({ rank }: M) => ({
    sketch: sketches.get(rank) ?? null,
    lines: () => textsOf(db, [rank]).get(rank) ?? '',
  })
  return foldNearCopies(matches, comparedOf, ({ rank }) => rank, read)
}

/** The number of other documents with the text of each, by rank, that the filters admit; absent: none. */
export function countCopies(db: SqliteDatabase, ranks: number[], filters: SkillFilters): Map<number, number> {
  const keys = copyKeysOf(db, ranks)
  const { sql, values } = rowConditions(filters)
  const rows = db.all<{ copy_key: number; documents: number }>(
    `SELECT copy_key, count(*) AS documents FROM json_each(?) m CROSS JOIN ${sql === '' ? 'documents d' : documentsWithSkills}
     WHERE copy_key = m.value${sql} GROUP BY copy_key`,
    [JSON.stringify([...new Set(keys.values())]), ...values],
  )
  const documents = new Map(rows.map((row) => [row.copy_key, row.documents]))
  return new Map([...keys].map(([rank, key]) => [rank, (documents.get(key) ?? 1) - 1]))
}
