import type { SkillFilters } from '../../../../ports/filter-table.js'
import type { ListSort, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { SqliteDatabase } from '../database.js'
import { askedFacets, columns, type FacetValue, facetCodes, hasFacet, type Range, rangesOf } from '../filters.js'
import { countRows, type ListTotals, type SkillTotal, type SqlPart } from './list-totals.js'

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

/** A facet value of a filter, and the number of its skills. */
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
  const published = facetTotal(db, facetCodes.all, '')
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
      ? { total: facetTotal(db, facetCodes.all, ''), totalIsLowerBound: false }
      : totals.count(db, whereAll('skills s', [isPublished, ...ranges]))
  }
  if (ranges.length === 0 && others.length === 0) {
    return { total: rarest.skills, totalIsLowerBound: false }
  }
  const source = ranges.length === 0 ? 'skill_facets d' : candidates
  return totals.count(db, whereAll(source, [isOf(rarest), ...others.map(hasFacet('d.skill')), ...ranges]))
}

/** What the number of the repositories of skills is counted in: each row is a skill `s`. */
export const matchingRows = ({ facets: [rarest, ...others], ranges }: ListMatches): SqlPart =>
  rarest === undefined
    ? whereAll('skills s', [isPublished, ...ranges])
    : whereAll(candidates, [isOf(rarest), ...others.map(hasFacet('d.skill')), ...ranges])

/** The number of repositories of published skills. */
export const repositoryTotal = (db: SqliteDatabase): number => facetTotal(db, facetCodes.repositories, '')

/** The conditions that a skill `o` matches the same filters. */
export const otherMatches = ({ facets, filters }: ListMatches): SqlPart[] => [
  ...facets.map(hasFacet('o.rowid')),
  ...rangesOf(filters, 'o'),
]

/** Only published skills have facets. */
export const isPublished: SqlPart = { sql: 's.state = 0', values: [] }

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

/** FROM and WHERE. */
export const whereAll = (source: string, conditions: SqlPart[]): SqlPart => ({
  sql: `${source} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

function facetTotal(db: SqliteDatabase, facet: string, value: string): number {
  return Number(
    db.get('SELECT skills FROM facet_totals WHERE facet = ? AND value = ?', [facet, value])?.['skills'] ?? 0,
  )
}
