import type { Placement } from '../../../../ports/search-index.js'
import type { SkillFilters } from '../../../../ports/skill-reader.js'
import { foldCopies } from '../../../../text/fold-hits.js'
import type { SqliteDatabase } from '../database.js'
import { columnConditions } from './expressions.js'
import { documentsWithSkills } from './index-tables.js'
import type { PreparedSearch } from './read-ranks.js'

/** The copy keys of the documents that others repeat, by rank. */
export function copyKeysOf(db: SqliteDatabase, ranks: number[]): Map<number, number> {
  // CROSS: each rank is looked up. As one text: a row for each would take three times as long.
  const row = db.get<{ pairs: string | null }>(
    `SELECT group_concat(rank || ':' || copy_key) AS pairs FROM json_each(?) m CROSS JOIN copies c ON c.rank = m.value`,
    [JSON.stringify(ranks)],
  )
  const pairs = row?.pairs ?? ''
  return new Map((pairs === '' ? [] : pairs.split(',')).map((pair) => pair.split(':').map(Number) as [number, number]))
}

/** A key of these documents: equal for copies, where the search leaves them out. */
export function foldKeys(
  { db, query }: PreparedSearch,
  matches: { rank: number }[],
): (match: { rank: number }) => string | number {
  const keys = query.fold
    ? copyKeysOf(
        db,
        matches.map(({ rank }) => rank),
      )
    : new Map<number, number>()
  return ({ rank }) => (keys.has(rank) ? `copies ${keys.get(rank)}` : rank)
}

/** The matches, of copies only the best where the search leaves out copies. */
export const withoutCopies = <M extends { rank: number; placement: Placement }>(
  search: PreparedSearch,
  matches: M[],
): M[] => foldCopies(matches, foldKeys(search, matches))

/** The number of other documents with the text of each, by rank, that the filters admit; absent: none. */
export function countCopies(db: SqliteDatabase, ranks: number[], filters: SkillFilters): Map<number, number> {
  const keys = copyKeysOf(db, ranks)
  const { sql, values } = columnConditions(filters)
  const rows = db.all<{ copy_key: number; documents: number }>(
    `SELECT copy_key, count(*) AS documents FROM json_each(?) m CROSS JOIN ${sql === '' ? 'documents d' : documentsWithSkills}
     WHERE copy_key = m.value${sql} GROUP BY copy_key`,
    [JSON.stringify([...new Set(keys.values())]), ...values],
  )
  const documents = new Map(rows.map((row) => [row.copy_key, row.documents]))
  return new Map([...keys].map(([rank, key]) => [rank, (documents.get(key) ?? 1) - 1]))
}
