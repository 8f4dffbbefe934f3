import type { SkillSort } from '../../../../ports/filter-table.js'
import { searchSettings } from '../../../../search-settings.js'
import { byValue } from '../catalog/listed-rows.js'
import type { SqliteDatabase } from '../database.js'
import { columns, countRows, isPublished, type Narrowing, type SqlPart, whereAll } from '../filters.js'
import { allRanks, documentsWithSkills, listOf, type PreparedSearch, readRanks } from './index-reads.js'

/** More than pages reach, by one. */
const wanted = searchSettings.maxReach + 1

/**
 * So many matches are sorted, each by the row of its skill, in the time in which an index of the order is read until it has
 * had as many matches as pages reach: 7 µs for a row, 2 µs for an entry of the index.
 */
const rowSortLimit = (documents: number): number => Math.sqrt(300 * documents)

/**
 * The ranks of the documents that meet the conditions on rows, where an index has few of these rows; null: so many rows
 * meet them that the first matches of any words soon do.
 */
export function listMeeting(db: SqliteDatabase, documents: number, { rows }: Narrowing): ReadonlySet<number> | null {
  const maxListed = Math.ceil(4 * rowSortLimit(documents))
  const from = ({ index }: { index: string }) => `catalog.skills s INDEXED BY ${index}`
  const rare = rows.find((row) => countRows(db, whereAll(from(row), [isPublished, row]), maxListed + 1) <= maxListed)
  if (rare === undefined) {
    return null
  }
  const meeting = whereAll(`${from(rare)} CROSS JOIN documents d ON d.skill = s.rowid`, [isPublished, ...rows])
  return new Set(readRanks(db, `SELECT d.rank AS rank FROM ${meeting.sql}`, meeting.values))
}

/**
 * The ranks of the first matches sorted by a column instead of fitness, as a list has them: skills without a value come
 * last.
 *
 * @param source an expression, null for the conditions alone, or ranks
 */
export function sorted(search: PreparedSearch, sort: SkillSort, source: string | number[] | null): number[] {
  const ranks = Array.isArray(source) ? source : allRanks(search, source)
  const sortLimit = rowSortLimit(search.vocabulary.documents)
  // Where conditions are left, an index of the order would be read for long until it has had enough that meet them.
  const maxSorted = conditionsLeft(search).length > 0 ? 4 * sortLimit : sortLimit
  return ranks.length <= maxSorted ? sortRows(search, sort, ranks) : readInOrder(search, sort, ranks)
}

/** The conditions on rows that `allRanks` has not compared. */
const conditionsLeft = ({ meeting, narrowing }: PreparedSearch) => (meeting === null ? narrowing.rows : [])

function sortRows(search: PreparedSearch, sort: SkillSort, ranks: number[]): number[] {
  const isMatch: SqlPart = { sql: 'd.rank = m.value', values: [] }
  const { sql, values } = whereAll(`json_each(?) m CROSS JOIN ${documentsWithSkills}`, [
    isMatch,
    ...conditionsLeft(search),
  ])
  const order = `s.${columns[sort].column} IS NULL, ${byValue(sort, search.query.order)}`
  return readRanks(search.db, `SELECT d.rank AS rank FROM ${sql} ORDER BY ${order} LIMIT ?`, [
    listOf(ranks),
    ...values,
    wanted,
  ])
}

/** Reads the catalog's index of an order until it has had enough of the matches. */
function readInOrder(search: PreparedSearch, sort: SkillSort, ranks: number[]): number[] {
  const { column, index } = columns[sort]
  const found: number[] = []
  for (const has of ['IS NOT NULL', 'IS NULL']) {
    const { sql, values } = whereAll(`catalog.skills s INDEXED BY ${index}`, [
      isPublished,
      { sql: `s.${column} ${has}`, values: [] },
      ...conditionsLeft(search),
    ])
    const order = byValue(sort, search.query.order)
    let [read, size] = [0, Math.ceil((2 * wanted * search.vocabulary.documents) / ranks.length)]
    for (let areMore = true; areMore && found.length < wanted; size *= 2) {
      // A skill of which the index has no document yet counts as read.
      const next = readRanks(
        search.db,
        `SELECT ifnull(d.rank, -1) AS rank
         FROM (SELECT s.rowid AS skill FROM ${sql} ORDER BY ${order} LIMIT ? OFFSET ?) s
         LEFT JOIN documents d ON d.skill = s.skill`,
        [...values, size, read],
      )
      const isNext = new Set(next)
      const matching = new Set(ranks.filter((rank) => isNext.has(rank)))
      found.push(...next.filter((rank) => matching.has(rank)))
      read += next.length
      areMore = next.length === size
    }
  }
  return found.slice(0, wanted)
}
