import {
  comparisonOf,
  type Filter,
  filterRows,
  givenFilters,
  type SkillFilters,
  sortRows,
  valuesOf,
} from '../../../ports/filter-table.js'
import type { ListSort } from '../../../ports/skill-reader.js'
import { maxRankedStars, rankOfStars } from '../../../records/content-hash.js'
import type { Skill } from '../../../records/skill.js'
import type { SqliteDatabase, SqlValue } from './database.js'

/** A part of a query, and the values that are bound in it. */
export interface SqlPart {
  sql: string
  values: SqlValue[]
}

/** FROM and WHERE. */
export const whereAll = (source: string, conditions: SqlPart[]): SqlPart => ({
  sql: `${source} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

/** Counts rows. @param limit the number at which the count ends */
export const countRows = (db: SqliteDatabase, { sql, values }: SqlPart, limit: number): number =>
  db.value<number>(`SELECT count(*) FROM (SELECT 1 FROM ${sql} LIMIT ?)`, [...values, limit]) ?? 0

/**
 * The fields with tables of the skills that have each of their values, by one letter each, and with tags in the search
 * index. Of `all` and `repositories` there is a total only, with an empty value: the numbers of skills and of their
 * repositories.
 */
export const facetCodes = {
  all: '*',
  repositories: 'r',
  owner: 'o',
  topics: 't',
  license: 'l',
  language: 'g',
  archived: 'a',
} as const

/** The letter of the facet that a filter asks for; undefined: it compares the rows of skills. */
const facetOf = ({ field }: Filter): string | undefined => facetCodes[field as keyof typeof facetCodes]

/** A value of a facet: the letter, the parameter that filters by it, and the value in lower case. */
export interface FacetValue {
  facet: string
  parameter: string
  value: string
}

const facetValues = (row: Filter, values: (string | number | boolean)[]): FacetValue[] =>
  values.flatMap((value) => {
    const facet = facetOf(row)
    return facet === undefined ? [] : [{ facet, parameter: row.parameter, value: String(value).toLowerCase() }]
  })

const facetFilters = filterRows().filter((row) => facetOf(row) !== undefined)

/** The facet values of a skill. */
export const facetsOfSkill = (skill: Skill): FacetValue[] =>
  facetFilters.flatMap((row) => facetValues(row, valuesOf(skill, row.field)))

/** The facet values that filters ask for. */
export const askedFacets = (filters: SkillFilters): FacetValue[] =>
  givenFilters(filters).flatMap((row) => facetValues(row, row.values))

/** The condition that a skill has a facet value. @param skill the number of its row */
export const hasFacet =
  (skill: 's.rowid' | 'd.skill' | 'o.rowid') =>
  ({ facet, value }: Pick<FacetValue, 'facet' | 'value'>): SqlPart => ({
    sql: `EXISTS (SELECT 1 FROM skill_facets f WHERE f.facet = ? AND f.value = ? AND f.skill = ${skill})`,
    values: [facet, value],
  })

/** Only published skills have facets. */
export const isPublished: SqlPart = { sql: 's.state = 0', values: [] }

/** The columns of fields; others are read from the record. */
const columnNames: { [field in keyof Skill]?: string } = {
  updatedAt: 'updated_at',
  stars: 'stars',
  createdAt: 'created_at',
  name: 'name_key',
}

/** A field of a skill, where the name of the table and a dot stand before it. */
const sqlOf = (field: keyof Skill): string => columnNames[field] ?? `record ->> '${field}'`

/**
 * How a list is sorted: by a column, which an index holds in order. `rest`: the index that has the skills without a value
 * in their order, where the one of the column leaves them out.
 */
export const columns = {
  ...Object.fromEntries(
    sortRows().map(({ name, field, order }) => [
      name,
      { column: sqlOf(field), index: `skills_by_${name}`, ascending: order === 'asc' },
    ]),
  ),
  trending: { column: 'trend', index: 'skills_by_trend', ascending: false, rest: 'skills_by_stars' },
} as Record<ListSort, { column: string; index: string; ascending: boolean; rest?: string }>

/** A filter without a facet, as a condition on a skill, with an index of skills. */
export interface Range extends SqlPart {
  field: keyof Skill
  comparison: ReturnType<typeof comparisonOf>
  index: string
}

/** The index of a filter without a facet: that of an order by its field, or its own. */
const indexOf = ({ parameter, field }: Filter): string =>
  `skills_by_${sortRows().find((sort) => sort.field === field)?.name ?? parameter}`

/** A value as a filter without a facet compares it. SQLite knows the case of Latin letters only. */
const comparable = (value: string, { kind }: Filter): string =>
  kind === 'text' || kind === 'name' ? `lower(${value})` : value

/** The filters without a facet, as conditions on a skill of this name. */
export const rangesOf = (filters: SkillFilters, skill = 's'): Range[] =>
  givenFilters(filters)
    .filter((row) => facetOf(row) === undefined)
    .flatMap((row) => {
      const compared = comparable(`${skill}.${sqlOf(row.field)}`, row)
      const comparison = comparisonOf(row)
      const sql = `${compared} ${comparison} ${comparable('?', row)}`
      const bound = row.values.map((value) => (typeof value === 'string' ? value : Number(value)))
      return bound.map((value) => ({ sql, values: [value], field: row.field, comparison, index: indexOf(row) }))
    })

/** What creates the indexes of orders and of filters without a facet, by their names. */
export const listIndexes: Map<string, string> = new Map(
  [
    ...filterRows().flatMap((row) =>
      facetOf(row) === undefined ? [[indexOf(row), comparable(sqlOf(row.field), row)] as const] : [],
    ),
    ...sortRows().map(({ name, field, order }) => [`skills_by_${name}`, `${sqlOf(field)} ${order}`] as const),
  ].map(([name, key]) => [name, `CREATE INDEX IF NOT EXISTS ${name} ON skills (${key}, id) WHERE state = 0`]),
)

/** One token for a filter value. No user's word begins with `=`, so prefixes never match these. */
export const tag = (kind: string, value = ''): string =>
  `=${kind}=${value.toLowerCase().replace(/[^a-z0-9\u0080-\u{10ffff}]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)}`

/** The conditions of a search other than its words. */
export interface Narrowing {
  /** Full-text expressions that must match, and that must not. */
  must: string[]
  mustNot: string[]
  /** Conditions on the ranks of the full-text table `w`. */
  ranks: SqlPart[]
  /** Conditions on the rows of the skills `s`. */
  rows: Range[]
}

/**
 * Filters as conditions on the tables of a search index: tokens of the `tags` column, a range of ranks, a column.
 *
 * @param mustNot full-text expressions
 */
export function narrowingOf(filters: SkillFilters, mustNot: string[]): Narrowing {
  const ranges = rangesOf(filters)
  // The rank of a document says how many stars its skill has, up to a number that hardly any has.
  const areInRank = ({ field, comparison, values: [least] }: Range) =>
    field === 'stars' && comparison === '>=' && Number(least) <= maxRankedStars
  return {
    must: askedFacets(filters).map(({ parameter, value }) => `tags : "${tag(parameter, value)}"`),
    mustNot,
    ranks: ranges.filter(areInRank).map(({ values: [least] }) => ({
      sql: 'w.rowid < ?',
      values: [BigInt(rankOfStars(Number(least) - 1))],
    })),
    rows: ranges.filter((range) => !areInRank(range)),
  }
}

/** The whole expression: words, which null leaves open, and conditions. No word of a text equals a tag. */
export function narrowed(expression: string | null, { must, mustNot }: Narrowing): string {
  const words = expression ?? `tags : "${tag('all')}"`
  const wanted = [words, ...must].map((each) => `(${each})`).join(' AND ')
  return mustNot.length === 0 ? wanted : `(${wanted}) NOT (${mustNot.map((each) => `(${each})`).join(' OR ')})`
}

/** Whether anything but the words decides. */
export const isNarrowed = ({ must, mustNot, ranks, rows }: Narrowing): boolean =>
  must.length + mustNot.length + ranks.length + rows.length > 0

/** The filters as conditions on the row of a skill `s`. */
export function rowConditions(filters: SkillFilters): { sql: string; values: SqlValue[] } {
  const conditions = [...askedFacets(filters).map(hasFacet('s.rowid')), ...rangesOf(filters)]
  return {
    sql: conditions.map(({ sql }) => ` AND ${sql}`).join(''),
    values: conditions.flatMap(({ values }) => values),
  }
}
