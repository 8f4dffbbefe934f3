import { type Folded, foldCopies } from '../../../../text/fold-copies.js'
import type { SqliteDatabase } from '../database.js'
import type { Slot } from './index-tables.js'
import type { Match } from './search.js'

export type FoldedMatch = Folded<Match>

/** The copy keys of the documents that others repeat, by rank. */
export function copyKeysOf(db: SqliteDatabase, slot: Slot, ranks: number[]): Map<number, number> {
  // CROSS: each rank is looked up. As one text: a row for each would take three times as long.
  const row = db.get<{ pairs: string | null }>(
    `SELECT group_concat(rank || ':' || copy_key) AS pairs FROM json_each(?) m CROSS JOIN copies_${slot} c ON c.rank = m.value`,
    [JSON.stringify(ranks)],
  )
  const pairs = row?.pairs ?? ''
  return new Map((pairs === '' ? [] : pairs.split(',')).map((pair) => pair.split(':').map(Number) as [number, number]))
}

/** The matches without the copies of better ones. */
export function folded(db: SqliteDatabase, slot: Slot, matches: Match[]): FoldedMatch[] {
  const ranks = matches.map(({ rank }) => rank)
  const keys = copyKeysOf(db, slot, ranks)
  return foldCopies(matches, ({ rank }) => keys.get(rank))
}
