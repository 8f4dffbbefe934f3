import type { SkillFilters, SkillSort } from './filter-table.js'

/** `trending`: by the stars gained of late, see `trendOf`; skills that gained none follow in the order `stars`. */
export type ListSort = SkillSort | 'trending'

/** A position in a list: the sort value and id of the last skill read. `value: null`: among those without one. */
export interface ListPosition {
  value: string | number | null
  id: string
  /** Only in the order `trending`, among skills without a trend: the stars of the skill; null: not known. */
  stars?: number | null
}

/** `repository`: of the skills of a repository only the first of a list is in it; absent: every skill is. */
export interface Distinctness {
  distinct?: 'repository'
}

export interface SkillListQuery extends Distinctness {
  filters: SkillFilters
  sort: ListSort
  order: 'asc' | 'desc'
  /** 1–100. */
  limit: number
  /** Continue after this position. */
  after?: ListPosition
  /** Skip this many, at most 10,000. */
  offset?: number
}

/** A skill of a list. */
export interface ListedSkill {
  /** The public skill as JSON. */
  record: string
  /** See `trendOf`; null where nothing was gained, and in another order than `trending`. */
  trend: number | null
  /** The other skills of its repository that match the filters; null where the list has every skill. */
  others: number | null
}

export interface SkillListPage {
  /** In order. */
  skills: ListedSkill[]
  /** The number of published skills that match the filters; where the list is distinct, of their repositories. */
  total: number
  /**
   * True when `total` is a lower bound: counting ends at `maxListTotal`, or when it takes too long, and counting
   * repositories after `maxDividedSkills` skills. Never true where the number is known without counting.
   */
  totalIsLowerBound: boolean
  /** The position of the next page; null when this one is the last. */
  next: ListPosition | null
}

/**
 * The result for an id: `record` is the public skill as JSON, see `skillOf`. A hidden skill is `unknown`: its existence is not
 * public.
 */
export type FoundSkill =
  | { state: 'published'; record: string }
  | { state: 'renamed'; presentId: string }
  | { state: 'removed'; removedAt: string }
  | { state: 'unknown' }

/** A repository: its own record, and its published skills that have names of their own. */
export interface Repository {
  /** The result for the id of the repository itself; a former one that has such skills may be `unknown`. */
  own: FoundSkill
  /** The skills, each a public skill as JSON: the most starred first, then by id. Of more than asked for, those with the first ids. */
  records: string[]
  /** The number of all of them, counted up to `maxListTotal`. */
  total: number
  /** Where it is unknown and has no skills: the repository to which a rename has moved some that it had; null: none. */
  present: string | null
}

/**
 * Reads published skills, for the public.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface SkillReader {
  /** A page of published skills; page 10,000 by position costs as much as page 1, by offset what is skipped as well. */
  listSkills(query: SkillListQuery): Promise<SkillListPage>

  /** Another text after each change of what lists have, for at most a fraction of what a page costs; null: not known. */
  listVersion(): Promise<string | null>

  /** The skill of this id (lower case), or its new id or removal. */
  findSkill(id: string): Promise<FoundSkill>

  /** `findSkill` for up to 1,000 ids at once: one result for each id, in their order. */
  findSkills(ids: string[]): Promise<FoundSkill[]>

  /**
   * A repository.
   *
   * @param repository its id, lower case
   * @param limit of the skills: at most and by default `maxOfRepository`
   */
  readRepository(repository: string, limit?: number): Promise<Repository>

  /** Up to `limit` ids of published skills that look like `id`, best first. */
  nearMatches(id: string, limit: number): Promise<string[]>
}

/** Skills of one repository that are listed together. */
export const maxOfRepository = 1_000

/** The number at which counting the matches of a list ends. */
export const maxListTotal = 10_000

/** The number of skills after which counting their repositories ends. */
export const maxDividedSkills = 100_000
