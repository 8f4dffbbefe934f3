import type { Skill } from '../records/skill.js'

/**
 * A filter of lists and searches: a skill must meet all that are given. Both stores, the parameters, the OpenAPI document,
 * the tools and the command line derive theirs from these rows.
 */
export interface FilterRow {
  /** The parameter of a request. */
  parameter: string
  /** The field of a skill that is compared; a search finds names by its words. A skill without a value never qualifies. */
  field: Exclude<keyof Skill, 'name'>
  /**
   * A `name` of an owner, a `text` and a `flag` (true or false) must equal the field, without regard to case, or one of its
   * values where it is a list. A `number`, and a `time` in ISO-8601, is the least that qualifies.
   */
  kind: 'name' | 'text' | 'flag' | 'number' | 'time'
  /** The maximum: of a text its characters, of a number itself. */
  max?: number
  /** How often it may be given, where the field is a list, of which all must match; absent: once. */
  maxTimes?: number
  /** What it admits, for documents and help. */
  description: string
}

/** The filters, by the names that they have in `SkillFilters`. */
export const filterTable = {
  owner: { parameter: 'owner', field: 'owner', kind: 'name', description: 'skills of this owner, any case' },
  topics: {
    parameter: 'topic',
    field: 'topics',
    kind: 'text',
    max: 100,
    // A skill has at most 20 topics, so more of them cannot all match.
    maxTimes: 20,
    description: 'skills with this topic, any case; if given several times, all must match',
  },
  license: {
    parameter: 'license',
    field: 'license',
    kind: 'text',
    max: 200,
    description: 'skills under this licence, any case',
  },
  language: {
    parameter: 'language',
    field: 'language',
    kind: 'text',
    max: 100,
    description: 'skills in this programming language, any case',
  },
  archived: {
    parameter: 'archived',
    field: 'archived',
    kind: 'flag',
    description: 'true: only archived skills; false: only skills that are not archived',
  },
  minStars: {
    parameter: 'minStars',
    field: 'stars',
    kind: 'number',
    // Above the stars of any repository.
    max: 1_000_000_000,
    description: 'skills with at least this number of stars',
  },
  updatedSince: {
    parameter: 'updatedSince',
    field: 'updatedAt',
    kind: 'time',
    description: 'skills updated at this time or later: a date, or a time with its offset',
  },
} as const satisfies Record<string, FilterRow>

type FilterTable = typeof filterTable
export type FilterName = keyof FilterTable

/** The value of a filter, as the ports take it. */
type FilterValue<Row extends FilterRow> = Row['kind'] extends 'number'
  ? number
  : Row['kind'] extends 'flag'
    ? boolean
    : Row extends { maxTimes: number }
      ? string[]
      : string

/** Filters of published skills. A skill must match all of them; absent ones match every skill. */
export type SkillFilters = { [Name in FilterName]?: FilterValue<FilterTable[Name]> }

/** The rows of the table, with their names. */
export const filterRows = (): (FilterRow & { name: FilterName })[] =>
  Object.entries<FilterRow>(filterTable).map(([name, row]) => ({ ...row, name: name as FilterName }))

/** The filters that are given, each with at least one value. */
export const givenFilters = (filters: SkillFilters): (FilterRow & { values: (string | number | boolean)[] })[] =>
  filterRows().flatMap((row) => {
    const values = [filters[row.name] ?? []].flat()
    return values.length === 0 ? [] : [{ ...row, values }]
  })

/** Whether a filter gives the least that qualifies, and not what is equal. */
export const isLeast = ({ kind }: FilterRow): boolean => kind === 'number' || kind === 'time'

/** An order of lists and searches: skills without a value come last in either direction; ties are decided by id. */
export interface SortRow {
  /** The field of a skill that is compared: a text without regard to case and diacritics. */
  field: keyof Skill
  kind: 'text' | 'number' | 'time'
  /** The usual direction: with it ids ascend, and the other one is its exact reverse. */
  order: 'asc' | 'desc'
}

/** The orders, by the values of `sort`; a list has `trending` as well, and a search `relevance`. */
export const sortTable = {
  updated: { field: 'updatedAt', kind: 'time', order: 'desc' },
  stars: { field: 'stars', kind: 'number', order: 'desc' },
  created: { field: 'createdAt', kind: 'time', order: 'desc' },
  name: { field: 'name', kind: 'text', order: 'asc' },
} as const satisfies Record<string, SortRow>

export type SkillSort = keyof typeof sortTable

/** The rows of the table, with their names. */
export const sortRows = (): (SortRow & { name: SkillSort })[] =>
  Object.entries<SortRow>(sortTable).map(([name, row]) => ({ ...row, name: name as SkillSort }))

/** The direction of an order where none is asked for. */
export const usualOrder = (sort: string): 'asc' | 'desc' =>
  sortRows().find(({ name }) => name === sort)?.order ?? 'desc'

/** The fields that facets count; each has a filter. */
export const facetNames = ['topics', 'owner', 'license', 'language'] as const satisfies (keyof Skill)[]
export type FacetName = (typeof facetNames)[number]

/** The fields that filters and orders compare, each once, with the kind of its values. */
export const comparedFields = (): Map<keyof Skill, (FilterRow | SortRow)['kind']> =>
  new Map([...sortRows(), ...filterRows()].map(({ field, kind }) => [field, kind]))

/** The values of a field of a skill: none where it is not known. */
export const valuesOf = (skill: Skill, field: keyof Skill): (string | number | boolean)[] => [skill[field] ?? []].flat()
