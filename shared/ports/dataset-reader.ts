import type { PublicRecords, RecordType } from '../records/records.js'
import type { Skill } from '../records/skill.js'
import type { Stats } from '../records/stats.js'
import type { FacetName } from './filter-table.js'

/** Where a scan for the index continues. */
export type ScanPosition = Pick<Skill, 'id' | 'stars'>

/**
 * Reads the whole dataset, for jobs: each call but a page of a scan may take as long as the catalog is large.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface DatasetReader {
  /** Published skills by id, after `afterId` (null: from the start). */
  scanSkills(afterId: string | null, limit: number): Promise<Skill[]>

  /**
   * Published skills in the order in which a search index next to this catalog is filled fastest: each that does not change
   * meanwhile once.
   *
   * @param after the last skill of the page before, as it was then; null: from the start
   */
  scanForIndex(after: ScanPosition | null, limit: number): Promise<Skill[]>

  /** The current statistics of the whole catalog, without `freshness` of index and files. */
  computeStats(): Promise<
    Omit<Stats, 'freshness'> & { freshness: Pick<Stats['freshness'], 'newestSkillUpdatedAt' | 'oldestSkillUpdatedAt'> }
  >

  /**
   * The values of a field of published skills, see `countedFields`: those with the most skills first, then the most stars,
   * then by name; at most `maxCountedValues`.
   */
  largestValues(of: CountedKind): Promise<CountedValue[]>

  /**
   * The rows of an export in their fixed order, at most `limit`, and their total number.
   * Skills: stars descending, then id; prompts: id; organizations: skills descending, stars descending, then login.
   *
   * @param maxCharacters the rows end with the prompt whose content, with those before it, has so many; absent: only `limit` bounds them
   */
  exportRows<T extends RecordType>(type: T, limit: number, maxCharacters?: number): Promise<ExportRows<T>>
}

/** The rows of an export, and the number of all records of their type. */
export interface ExportRows<T extends RecordType> {
  total: number
  rows: PublicRecords[T][]
}

/** The fields whose values `compute-stats` counts and keeps for requests, by the names of the lists. */
export const countedFields = { organizations: 'owner', topics: 'topics' } as const satisfies Record<string, FacetName>
export type CountedKind = keyof typeof countedFields

/** A value, lower case, and the number of its published skills. */
export interface CountedValue {
  value: string
  skills: number
}

/** The number of values that pages list: as many as the rows that pages of lists reach. */
export const maxCountedValues = 10_000

/** The number of topics that an organization shows. */
export const topTopicsPerOrganization = 5

/** The number of rows in the top lists of the statistics. */
export const topListLength = 20
