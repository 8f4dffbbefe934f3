import type { Skill } from '../records/skill.js'

/**
 * A filter of lists and searches. Both stores, the parameters, the OpenAPI document, the tools and the command line derive
 * theirs from these rows.
 */
export type FilterRow = {
  /** The parameter of a request; absent: the name of the row. */
  parameter?: string
  /** The field of a skill that is compared; a search finds names by its words. A skill without a value never qualifies. */
  field: Exclude<keyof Skill, 'name'>
  /** How often it may be given, where the field is a list, of which all must match; absent: once. */
  maxTimes?: number
  /** What it admits, for documents and help. */
  description: string
} & FilterKind

/**
 * A `name` of an owner, a `text` and a `flag` (true or false) must equal the field, without regard to case, or one of its
 * values where it is a list. A `number`, and a `time` in ISO-8601, is the least that qualifies, or with `isMost` the most.
 * `max`: of a text its characters, of a number itself.
 */
type FilterKind =
  | { kind: 'name' | 'flag' }
  | { kind: 'text'; max: number }
  | { kind: 'time'; isMost?: true }
  | { kind: 'number'; max: number; isMost?: true }

/** The filters, by the names that they have in `SkillFilters`. */
export const filterTable = {
  owner: { field: 'owner', kind: 'name', description: 'skills of this owner, any case' },
  topics: {
    parameter: 'topic',
    field: 'topics',
    kind: 'text',
    max: 100,
    maxTimes: 20,
    description: 'skills with this topic, any case; if given several times, all must match',
  },
  license: { field: 'license', kind: 'text', max: 200, description: 'skills under this licence, any case' },
  language: { field: 'language', kind: 'text', max: 100, description: 'skills in this programming language, any case' },
  archived: {
    field: 'archived',
    kind: 'flag',
    description: 'true: only archived skills; false: only skills that are not archived',
  },
  minStars: { field: 'stars', kind: 'number', max: 1e9, description: 'skills with at least this number of stars' },
  updatedSince: {
    field: 'updatedAt',
    kind: 'time',
    description: 'skills updated at this time or later: a date, or a time with its offset',
  },
} as const satisfies Record<string, FilterRow>

type FilterTable = typeof filterTable
type FilterName = keyof FilterTable

/** The value of a filter, as the ports take it. */
type FilterValue<Row extends FilterRow> = Row extends { maxTimes: number }
  ? string[]
  : { name: string; text: string; flag: boolean; number: number; time: string }[Row['kind']]

/** Filters of published skills. A skill must match all of them; absent ones match every skill. */
export type SkillFilters = { [Name in FilterName]?: FilterValue<FilterTable[Name]> }

/** The parameters, each with the name of its filter. */
export type FilterParameters = {
  [Name in FilterName as FilterTable[Name] extends { parameter: infer Parameter extends string }
    ? Parameter
    : Name]: Name
}

/** A row with its name. */
export type Filter = FilterRow & { name: FilterName; parameter: string }

const named = (name: FilterName, row: FilterRow): Filter => ({ parameter: name, ...row, name })

export const filterRows = (): Filter[] =>
  Object.entries<FilterRow>(filterTable).map(([name, row]) => named(name as FilterName, row))

/** The rows of the filters that are given, each with at least one value. */
export const givenFilters = (filters: SkillFilters) =>
  (Object.keys(filters) as FilterName[]).flatMap((name) => {
    const values: (string | number | boolean)[] = [filters[name] ?? []].flat()
    return values.length === 0 ? [] : [{ ...named(name, filterTable[name]), values }]
  })

/** How a filter compares the field with its value. */
export const comparisonOf = (row: FilterRow): '=' | '>=' | '<=' => {
  if (row.kind !== 'number' && row.kind !== 'time') {
    return '='
  }
  return row.isMost ? '<=' : '>='
}

/** An order of lists and searches: skills without a value come last in either direction; ties are decided by id. */
interface SortRow {
  field: keyof Skill
  /** A `folded` text is compared without regard to case and diacritics. */
  kind: 'folded' | 'number' | 'time'
  /** The usual direction: with it ids ascend, and the other one is its exact reverse. */
  order: 'asc' | 'desc'
}

/** The orders, by the values of `sort`; a list has `trending` as well, and a search `relevance`. */
export const sortTable = {
  updated: { field: 'updatedAt', kind: 'time', order: 'desc' },
  stars: { field: 'stars', kind: 'number', order: 'desc' },
  created: { field: 'createdAt', kind: 'time', order: 'desc' },
  name: { field: 'name', kind: 'folded', order: 'asc' },
} as const satisfies Record<string, SortRow>

export type SkillSort = keyof typeof sortTable

export const sortRows = (): (SortRow & { name: SkillSort })[] =>
  Object.entries<SortRow>(sortTable).map(([name, row]) => ({ ...row, name: name as SkillSort }))

/** The direction of an order where none is asked for. */
export const usualOrder = (sort: string): 'asc' | 'desc' =>
  (sortTable as Record<string, SortRow>)[sort]?.order ?? 'desc'

/** The fields that filters of names and texts compare: the stores write the values of other kinds in different ways. */
type FacetField = Extract<FilterTable[FilterName], { kind: 'name' | 'text' }>['field']

/** The fields that facets count. */
export const facetNames = ['topics', 'owner', 'license', 'language'] as const satisfies FacetField[]
export type FacetName = (typeof facetNames)[number]

/** A field of a skill that filters or orders compare, and the kind of its values. */
export type ComparedField = Pick<FilterRow | SortRow, 'field' | 'kind'>

/** Each of them once. */
export const comparedFields = (): ComparedField[] => [
  ...new Map([...filterRows(), ...sortRows()].map((row): [string, ComparedField] => [row.field, row])).values(),
]

/** The values of a field of a skill: none where it is not known. */
export const valuesOf = (skill: Skill, field: keyof Skill): (string | number | boolean)[] => [skill[field] ?? []].flat()
