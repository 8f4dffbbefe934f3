import { LRUCache } from 'lru-cache'
import type { SkillFilters } from '../../../../ports/filter-table.js'
import {
  type ListSort,
  maxDividedSkills,
  maxListTotal,
  type SkillListPage,
  type SkillListQuery,
} from '../../../../ports/skill-reader.js'
import type { SqliteDatabase } from '../database.js'
import {
  askedFacets,
  columns,
  countRows,
  type FacetValue,
  facetCodes,
  hasFacet,
  isPublished,
  type Range,
  rangesOf,
  type SqlPart,
  whereAll,
} from '../filters.js'

/** The number of rows that match the filters. */
export type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** A total that takes less is counted again after each change. */
const leastCostMs = 20

/** The maximum time for which a total is kept while the catalog changes. */
const maxAgeMs = 30_000

const maxKept = 1_000

/**
 * Totals of lists that have to be counted, up to a limit. Each is kept until the next change, and during writes for a
 * hundred times as long as it took to count, so that at most a hundredth of the time is spent on counting it again.
 */
export class ListTotals {
  readonly #kept = new LRUCache<string, SkillTotal & { head: number; untilMs: number }>({ max: maxKept })

  /** @param matches FROM and WHERE */
  count(db: SqliteDatabase, matches: SqlPart, limit = maxListTotal): SkillTotal {
    // The sequence of the catalog's latest change.
    const head = db.value<number>('SELECT head FROM change_log') ?? 0
    const atMs = performance.now()
    const key = JSON.stringify([matches, limit])
    const known = this.#kept.get(key)
    if (known !== undefined && (known.head === head || atMs < known.untilMs)) {
      return known
    }
    const rows = countRows(db, matches, limit + 1)
    const total = { total: Math.min(rows, limit), totalIsLowerBound: rows > limit }
    const tookMs = performance.now() - atMs
    this.#kept.set(key, {
      ...total,
      head,
      untilMs: atMs + (tookMs < leastCostMs ? 0 : Math.min(100 * tookMs, maxAgeMs)),
    })
    return total
  }
}

/** Up to this many candidates are fetched by their filter and sorted; more are found by a scan of the sort's index. */
const maxCandidates = 5_000

/** Fetching and sorting as many candidates takes less time than a message to a thread and back. */
const maxQuickCandidates = 100

/** How many entries of an index are read in the time that fetching a row takes. */
const rowCost = 10

/** The filters of a list, and how many skills match them. */
export interface ListMatches {
  filters: SkillFilters
  /** The rarest first. */
  facets: SizedFacet[]
  ranges: Range[]
  total: SkillTotal
}

/** How the rows that match filters are found. */
export interface ListPlan {
  /** Whether the source yields the rows in the order of the list, so that they need not be sorted. */
  isOrdered: boolean
  source: string
  /** The source of the skills without a value to sort by. */
  rest: string
  conditions: SqlPart[]
}

interface SizedFacet extends FacetValue {
  skills: number
}

/** Whether a page is read in one part of an index, since nothing is filtered, or from a few candidates. */
export const isQuickList = (db: SqliteDatabase, { filters, distinct }: SkillListQuery): boolean =>
  (Object.keys(filters).length === 0 && distinct === undefined) ||
  askedFacets(filters).some(({ facet, value }) => facetTotal(db, facet, value) <= maxQuickCandidates)

/** Reads the sizes of filters, and the total. */
export function matchesOf(db: SqliteDatabase, filters: SkillFilters, totals: ListTotals): ListMatches {
  const facets = askedFacets(filters)
    .map((facet) => ({ ...facet, skills: facetTotal(db, facet.facet, facet.value) }))
    .sort((a, b) => a.skills - b.skills)
  const ranges = rangesOf(filters)
  return { filters, facets, ranges, total: totalOf(db, facets, ranges, totals) }
}

/**
 * Plans how rows are found: candidates that a filter's index yields, which have to be sorted, or a scan of the sort's
 * index, which compares each skill with the filters.
 *
 * @param wanted the number of rows that are read or skipped
 */
export function planList(db: SqliteDatabase, matches: ListMatches, sort: ListSort, wanted: number): ListPlan {
  const { facets, ranges, total } = matches
  const published = facetTotal(db, facetCodes.all)
  // An estimate that takes the filters as independent of each other.
  const withFacets = facets.reduce((skills, facet) => (skills * facet.skills) / published, published)
  const isEstimated = total.totalIsLowerBound && ranges.length === 0
  const matching = isEstimated ? Math.max(total.total, withFacets) : total.total
  // The numbers of skills that a scan of the sort's index reads to find them, and that candidates have to be fetched.
  const scanned = (published * wanted) / Math.max(matching, 1)
  const fetched = ranges.length === 0 ? matching : withFacets
  const [rarest, ...others] = facets
  if (rarest !== undefined && (rarest.skills <= maxCandidates || rarest.skills + rowCost * fetched < scanned)) {
    return {
      isOrdered: false,
      source: candidates,
      rest: candidates,
      conditions: [isOf(rarest), ...others.map(hasFacet('d.skill')), ...ranges],
    }
  }
  const { index: sortIndex, rest = sortIndex } = columns[sort]
  const range = rarest === undefined && ranges.length === 1 && !total.totalIsLowerBound ? ranges[0] : undefined
  const index = range !== undefined && total.total < scanned ? range.index : sortIndex
  const conditions = [
    isPublished,
    ...facets.map((facet) =>
      facet.skills < scanned ? isAmong('d.skill', 'skill_facets d', [isOf(facet)]) : hasFacet('s.rowid')(facet),
    ),
    ...ranges.map((each) => {
      const isListed = each.index !== index && scanned > published / 10 && isRare(db, each, published / 10)
      return isListed ? isAmong('s.rowid', `skills s INDEXED BY ${each.index}`, [isPublished, each]) : each
    }),
  ]
  return {
    isOrdered: index === sortIndex,
    source: `skills s INDEXED BY ${index}`,
    rest: `skills s INDEXED BY ${rest}`,
    conditions,
  }
}

/** A total that is stored in the database needs no count. */
function totalOf(db: SqliteDatabase, facets: SizedFacet[], ranges: Range[], totals: ListTotals): SkillTotal {
  const [rarest, ...others] = facets
  if (rarest?.skills === 0) {
    return { total: 0, totalIsLowerBound: false }
  }
  if (rarest === undefined) {
    return ranges.length === 0
      ? { total: facetTotal(db, facetCodes.all), totalIsLowerBound: false }
      : totals.count(db, whereAll('skills s', [isPublished, ...ranges]))
  }
  if (ranges.length === 0 && others.length === 0) {
    return { total: rarest.skills, totalIsLowerBound: false }
  }
  const source = ranges.length === 0 ? 'skill_facets d' : candidates
  return totals.count(db, whereAll(source, [isOf(rarest), ...others.map(hasFacet('d.skill')), ...ranges]))
}

/** What the number of the repositories of skills is counted in: each row is a skill `s`. */
const matchingRows = ({ facets: [rarest, ...others], ranges }: ListMatches): SqlPart =>
  rarest === undefined
    ? whereAll('skills s', [isPublished, ...ranges])
    : whereAll(candidates, [isOf(rarest), ...others.map(hasFacet('d.skill')), ...ranges])

/** The conditions that a skill `o` matches the same filters. */
const otherMatches = ({ facets, filters }: ListMatches): SqlPart[] => [
  ...facets.map(hasFacet('o.rowid')),
  ...rangesOf(filters, 'o'),
]

/** The skills that have a facet value, in no order. */
const candidates = 'skill_facets d CROSS JOIN skills s ON s.rowid = d.skill'

const isOf = ({ facet, value }: SizedFacet): SqlPart => ({ sql: 'd.facet = ? AND d.value = ?', values: [facet, value] })

/** Compares each skill with a list of all that meet conditions, which is made first. */
const isAmong = (column: string, source: string, conditions: SqlPart[]): SqlPart => {
  const { sql, values } = whereAll(source, conditions)
  return { sql: `s.rowid IN (SELECT ${column} FROM ${sql})`, values }
}

/** Whether fewer than `limit` skills are in a range. */
const isRare = (db: SqliteDatabase, range: Range, limit: number): boolean =>
  countRows(db, whereAll(`skills s INDEXED BY ${range.index}`, [isPublished, range]), Math.ceil(limit)) < limit

/** The number of published skills that have a value of a facet. */
export const facetTotal = (db: SqliteDatabase, facet: string, value = ''): number =>
  db.value<number>('SELECT skills FROM facet_totals WHERE facet = ? AND value = ?', [facet, value]) ?? 0

/** The id of the repository of a skill, see `repositoryId`. */
const repositoryOf = (skill: string): string => `substr(${skill}.id, 1, instr(${skill}.id || '@', '@') - 1)`

/**
 * The published skills `o` of a repository, found by their ids: "A" follows "@". The plus keeps SQLite from reading an
 * index of all published skills instead.
 */
export const skillsOf = (repository: string): SqlPart => ({
  sql: `(o.id = ${repository} OR (o.id > ${repository} || '@' AND o.id < ${repository} || 'A')) AND +o.state = 0`,
  values: [],
})

const matchesOfRepository = (matches: ListMatches, more: SqlPart[]): SqlPart =>
  whereAll('skills o', [skillsOf(repositoryOf('s')), ...otherMatches(matches), ...more])

/** The condition that no match of its repository stands before a skill `s` in the list. */
export function isFirstOfRepository(matches: ListMatches, { sort, order }: SkillListQuery): SqlPart {
  const { sql, values } = matchesOfRepository(matches, [{ sql: `(${precedes(sort, order)})`, values: [] }])
  return { sql: `NOT EXISTS (SELECT 1 FROM ${sql})`, values }
}

/** The number of the other matches in the repository of a skill `s`. */
export function countOthers(matches: ListMatches): SqlPart {
  const { sql, values } = matchesOfRepository(matches, [])
  return { sql: `(SELECT count(*) FROM ${sql}) - 1`, values }
}

/** Whether a skill `o` stands before a skill `s` in the list: the order that `partsAfter` reads in parts. */
function precedes(sort: ListSort, order: 'asc' | 'desc'): string {
  if (sort === 'trending') {
    const [other, own] = ['nullif(o.trend, 0)', 'nullif(s.trend, 0)']
    const byStars = `${other} IS NULL AND ${own} IS NULL AND (${precedes('stars', order)})`
    return `${isBefore(order, other, own)} OR (${other} = ${own} AND ${isIdBefore(sort, order)}) OR (${byStars})`
  }
  const [other, own] = [`o.${columns[sort].column}`, `s.${columns[sort].column}`]
  return `${isBefore(order, other, own)} OR (${other} IS ${own} AND ${isIdBefore(sort, order)})`
}

/** Values before others, those without one last. */
const isBefore = (order: 'asc' | 'desc', other: string, own: string): string =>
  `${other} ${order === 'asc' ? '<' : '>'} ${own} OR (${other} IS NOT NULL AND ${own} IS NULL)`

const isIdBefore = (sort: ListSort, order: 'asc' | 'desc'): string =>
  (order === 'asc') === columns[sort].ascending ? 'o.id < s.id' : 'o.id > s.id'

/** Counts the repositories of the matches, see `maxDividedSkills`; without filters their number is known. */
export function totalOfRepositories(db: SqliteDatabase, matches: ListMatches, totals: ListTotals): SkillTotal {
  const { facets, ranges, total } = matches
  if (facets.length + ranges.length === 0) {
    return { total: facetTotal(db, facetCodes.repositories), totalIsLowerBound: false }
  }
  if (total.total === 0) {
    return total
  }
  const matching = matchingRows(matches)
  const rows = `(SELECT ${repositoryOf('s')} AS repository FROM ${matching.sql} LIMIT ${maxDividedSkills})`
  const counted = totals.count(db, { ...matching, sql: `(SELECT DISTINCT repository FROM ${rows})` })
  const areMore = () =>
    total.totalIsLowerBound
      ? totals.count(db, matching, maxDividedSkills).totalIsLowerBound
      : total.total > maxDividedSkills
  return { ...counted, totalIsLowerBound: counted.totalIsLowerBound || areMore() }
}
