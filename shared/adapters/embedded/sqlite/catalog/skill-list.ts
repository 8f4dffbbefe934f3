import {
  type ListPosition,
  maxListTotal,
  type SkillFilters,
  type SkillListPage,
  type SkillListQuery,
  type SkillSort,
} from '../../../../ports/skill-reader.js'
import type { SqliteDatabase, SqlValue } from '../database.js'

/** The facets by which skills can be filtered, one letter each in the tables. */
export const facetCodes = { all: '*', owner: 'o', topic: 't', license: 'l', language: 'g', archived: 'a' } as const

const columns: Record<SkillSort, { column: string; index: string; ascending: boolean }> = {
  updated: { column: 'updated_at', index: 'skills_by_updated', ascending: false },
  stars: { column: 'stars', index: 'skills_by_stars', ascending: false },
  created: { column: 'created_at', index: 'skills_by_created', ascending: false },
  name: { column: 'name_key', index: 'skills_by_name', ascending: true },
}

/** Up to this many candidates are fetched by their filter and sorted; more are found by walking the sort's index. */
const maxCandidates = 5_000

interface Condition {
  sql: string
  values: SqlValue[]
}

/** The source of rows, as a FROM clause. */
interface Source {
  sql: string
  values: SqlValue[]
}

/** How the rows that match a set of filters are found. */
interface Plan {
  source: Source
  conditions: Condition[]
  total: SkillTotal
}

/** The number of rows that match the filters. */
type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** A total that is stored in the database and needs no count. */
const known = (total: number): SkillTotal => ({ total, totalIsLowerBound: false })

/**
 * Finds the rows of one page of the list.
 *
 * @returns row ids in order, and the total
 */
export function findListedRows(db: SqliteDatabase, query: SkillListQuery): { rows: number[] } & SkillTotal {
  const plan = planList(db, query)
  if (plan.total.total === 0) {
    return { rows: [], ...plan.total }
  }
  const wanted = (query.offset ?? 0) + query.limit
  const rows: number[] = []
  for (const part of partsAfter(query.sort, query.order, query.after)) {
    if (rows.length < wanted) {
      rows.push(...readPart(db, plan, part, wanted - rows.length))
    }
  }
  return { rows: rows.slice(query.offset ?? 0), ...plan.total }
}

/** A range of the list that one scan of the index yields in order. */
interface Part {
  condition: Condition
  orderBy: string
}

/**
 * The ranges after a position: the rest of the skills with the same value, then those beyond it, then those without
 * one. Each begins with a seek in the index, so that all pages cost the same.
 */
function partsAfter(sort: SkillSort, order: 'asc' | 'desc', after: ListPosition | undefined): Part[] {
  const { column, ascending } = columns[sort]
  // The opposite order reads the index backwards, ids included.
  const forward = (order === 'asc') === ascending
  const [idOrder, beyondId] = forward ? ['ASC', '>'] : ['DESC', '<']
  const beyond = order === 'asc' ? '>' : '<'
  const byValue = `s.${column} ${order === 'asc' ? 'ASC' : 'DESC'}, s.id ${idOrder}`
  const byId = `s.id ${idOrder}`
  const without = (values: SqlValue[]): Part => ({
    condition: { sql: `s.${column} IS NULL${values.length > 0 ? ` AND s.id ${beyondId} ?` : ''}`, values },
    orderBy: byId,
  })
  if (after === undefined) {
    return [{ condition: { sql: `s.${column} IS NOT NULL`, values: [] }, orderBy: byValue }, without([])]
  }
  if (after.value === null) {
    return [without([after.id])]
  }
  return [
    { condition: { sql: `s.${column} = ? AND s.id ${beyondId} ?`, values: [after.value, after.id] }, orderBy: byId },
    { condition: { sql: `s.${column} ${beyond} ?`, values: [after.value] }, orderBy: byValue },
    without([]),
  ]
}

function readPart(db: SqliteDatabase, { source, conditions }: Plan, part: Part, limit: number): number[] {
  const where = [{ sql: 's.state = 0', values: [] }, part.condition, ...conditions]
  return db
    .all<{ rowid: number }>(
      `SELECT s.rowid AS rowid FROM ${source.sql} WHERE ${where.map((each) => each.sql).join(' AND ')} ORDER BY ${part.orderBy} LIMIT ?`,
      [...source.values, ...where.flatMap((each): SqlValue[] => each.values), limit],
    )
    .map((row) => row.rowid)
}

/** The facet values of filters. */
function facetsOf(filters: SkillFilters): { facet: string; value: string }[] {
  return [
    ...(filters.owner === undefined ? [] : [{ facet: facetCodes.owner, value: filters.owner.toLowerCase() }]),
    ...(filters.topics ?? []).map((topic) => ({ facet: facetCodes.topic, value: topic.toLowerCase() })),
    ...(filters.license === undefined ? [] : [{ facet: facetCodes.license, value: filters.license.toLowerCase() }]),
    ...(filters.language === undefined ? [] : [{ facet: facetCodes.language, value: filters.language.toLowerCase() }]),
    ...(filters.archived === undefined
      ? []
      : [{ facet: facetCodes.archived, value: filters.archived ? 'true' : 'false' }]),
  ]
}

/** A facet value of a filter, and the number of its skills. */
interface SizedFacet {
  facet: string
  value: string
  skills: number
}

/** A filter with an index of skills. */
interface Range extends Condition {
  index: string
}

function planList(db: SqliteDatabase, query: SkillListQuery): Plan {
  const { filters } = query
  const sized = facetsOf(filters)
    .map((facet) => ({ ...facet, skills: facetTotal(db, facet.facet, facet.value) }))
    .sort((a, b) => a.skills - b.skills)
  const ranges: Range[] = [
    ...(filters.minStars === undefined
      ? []
      : [{ sql: 's.stars >= ?', values: [filters.minStars], index: columns.stars.index }]),
    ...(filters.updatedSince === undefined
      ? []
      : [{ sql: 's.updated_at >= ?', values: [filters.updatedSince], index: columns.updated.index }]),
  ]
  const total = totalOf(db, sized, ranges)
  const smallest = sized[0]
  const range = smallest === undefined && ranges.length === 1 && !total.totalIsLowerBound ? ranges[0] : undefined
  const published = facetTotal(db, facetCodes.all, '')
  // The number of skills that a scan of the sort's index reads to fill the page.
  const walked = (published * ((query.offset ?? 0) + query.limit)) / Math.max(total.total, 1)
  if (smallest !== undefined && (smallest.skills <= maxCandidates || smallest.skills < walked)) {
    return { source: havingFacet(smallest), conditions: [...sized.slice(1).map(hasFacet), ...ranges], total }
  }
  const index = range !== undefined && total.total < walked ? range.index : columns[query.sort].index
  const source = { sql: `skills s INDEXED BY ${index}`, values: [] }
  return { source, conditions: [...sized.map(hasFacet), ...ranges], total }
}

/** The skills that have a facet value, in no order. */
const havingFacet = ({ facet, value }: SizedFacet): Source => ({
  sql: 'skill_facets d CROSS JOIN skills s ON s.rowid = d.skill AND d.facet = ? AND d.value = ?',
  values: [facet, value],
})

/** @param sized the rarest first */
function totalOf(db: SqliteDatabase, sized: SizedFacet[], ranges: Range[]): SkillTotal {
  const smallest = sized[0]
  if (smallest?.skills === 0) {
    return known(0)
  }
  if (ranges.length === 0 && sized.length <= 1) {
    return known(smallest?.skills ?? facetTotal(db, facetCodes.all, ''))
  }
  const source = smallest === undefined ? { sql: 'skills s', values: [] } : havingFacet(smallest)
  return countRows(db, source, [...sized.slice(1).map(hasFacet), ...ranges])
}

const hasFacet = ({ facet, value }: { facet: string; value: string }): Condition => ({
  sql: 'EXISTS (SELECT 1 FROM skill_facets f WHERE f.facet = ? AND f.value = ? AND f.skill = s.rowid)',
  values: [facet, value],
})

function facetTotal(db: SqliteDatabase, facet: string, value: string): number {
  return Number(
    db.get('SELECT skills FROM facet_totals WHERE facet = ? AND value = ?', [facet, value])?.['skills'] ?? 0,
  )
}

// Counts of combined filters, valid until the next entry of the change log. A thread has one catalog, so one table.
const counted = new WeakMap<SqliteDatabase, { sequence: number; counts: Map<string, SkillTotal> }>()

function countRows(db: SqliteDatabase, source: Source, conditions: Condition[]): SkillTotal {
  const sequence = Number(db.get('SELECT head FROM change_log')?.['head'])
  let kept = counted.get(db)
  if (kept?.sequence !== sequence || kept.counts.size > 1_000) {
    kept = { sequence, counts: new Map() }
    counted.set(db, kept)
  }
  const key = JSON.stringify([source, conditions])
  const count = kept.counts.get(key)
  if (count !== undefined) {
    return count
  }
  const row = db.get(
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${source.sql} WHERE ${['s.state = 0', ...conditions.map((each) => each.sql)].join(' AND ')} LIMIT ?)`,
    [...source.values, ...conditions.flatMap((each) => each.values), maxListTotal + 1],
  )
  const found = Number(row?.['n'] ?? 0)
  const total = { total: Math.min(found, maxListTotal), totalIsLowerBound: found > maxListTotal }
  kept.counts.set(key, total)
  return total
}
