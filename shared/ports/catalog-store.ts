import type { PublicRecords, RecordType, StoredRecords } from '../records/records.js'
import type { Skill, StoredSkill } from '../records/skill.js'
import type { Stats } from '../records/stats.js'

/** Which published skills are meant; absent fields do not restrict. All that are given must hold. */
export interface SkillFilters {
  /** Owner's login, any case. */
  owner?: string
  /** Topics that the skill must all carry, lower case. */
  topics?: string[]
  /** Licence, compared without regard to case. */
  license?: string
  /** Language, compared without regard to case. */
  language?: string
  archived?: boolean
  /** At least this many stars; a skill whose stars are not known never qualifies. */
  minStars?: number
  /** Updated at this time or later (ISO-8601); a skill without a time never qualifies. */
  updatedSince?: string
}

/** The orders of a list. Skills without a value come last in either direction; ties are decided by id. */
export type SkillSort = 'updated' | 'stars' | 'created' | 'name'

/** Where a walk stands: the sort value and id of the last skill seen. `value: null` means among those without one. */
export interface ListPosition {
  value: string | number | null
  id: string
}

export interface SkillListQuery {
  filters: SkillFilters
  sort: SkillSort
  order: 'asc' | 'desc'
  /** 1–100. */
  limit: number
  /** Continue behind this position… */
  after?: ListPosition
  /** …or skip this many (at most 10,000). Never both. */
  offset?: number
}

export interface SkillListPage {
  skills: Skill[]
  /** How many published skills the filters admit. */
  total: number
  /**
   * True when there are at least `total` of them and may be more: counting ends at `maxListTotal`, or when it takes too
   * long. Never true where the number is known without counting.
   */
  totalIsLowerBound: boolean
  /** Where the next page begins; null when this one is the last. */
  next: ListPosition | null
}

/** What is known under an id. A hidden skill is `unknown`: that it exists is not told. */
export type FoundSkill =
  | { state: 'published'; skill: Skill }
  | { state: 'renamed'; presentId: string }
  | { state: 'removed'; removedAt: string }
  | { state: 'unknown' }

/** How many records a write added, changed, and found to be there already just so. */
export interface PutCounts {
  added: number
  changed: number
  unchanged: number
}

/** A stretch of the catalog's history, oldest change first, each id once with its present state. */
export interface SkillChanges {
  /** Ids whose skill changed, with what is stored now: in whatever state, and unchecked (others may write the store). */
  changes: { id: string; stored: unknown }[]
  /** Where this stretch ends: saved by the job that has dealt with it. Opaque. */
  watermark: string
  /** True when more changes wait behind it. */
  more: boolean
}

/** Something that could not be indexed, kept for the operator. */
export interface DeadLetter {
  id: string
  reason: string
  /** ISO-8601. */
  since: string
}

/** Held by one process at a time; free again at the latest some seconds after that process has ended. */
export interface Lock {
  /**
   * Counts those who have held it, as a fencing token does: whoever comes later has the higher one. 0 where no lock is
   * ever taken from one who lives.
   *
   * @see https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
   */
  readonly epoch: number
  /** Aborted when it was lost before its release, for instance because the process stood still: stop writing. */
  readonly lost: AbortSignal
  /**
   * Asks the store itself whether it is still held. To be asked just before each write that only the holder may make.
   *
   * @throws AppError `lock_lost` (409) when it is not
   */
  check(): Promise<void>
  release(): Promise<void>
}

/**
 * The catalog's records: the truth that index, statistics and exports are made from.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface CatalogStore {
  /** A page of published skills; page 10,000 by position costs what page 1 costs. */
  listSkills(query: SkillListQuery): Promise<SkillListPage>

  /** The skill of this id (lower case), or what became of it. */
  findSkill(id: string): Promise<FoundSkill>

  /** `findSkill` for up to 1,000 ids at once: what is known under each of them, in their order. */
  findSkills(ids: string[]): Promise<FoundSkill[]>

  /** Up to `limit` ids of published skills that look like `id`, best first. */
  nearMatches(id: string, limit: number): Promise<string[]>

  /**
   * Adds or replaces records, whole; a repeated id counts once, the last wins.
   * All are written or none; a store without transactions may have written some when it fails, each of them whole,
   * and to put them all again is harmless.
   * A skill's `indexedAt` is set to the store's clock when it is added or changed, whatever the record says.
   *
   * @param keepHidden ids of published records whose source does not say that they are to be shown: those that are
   * hidden when they are written stay hidden. Default: none
   * @throws AppError `records_contended` (503) when other programs change the same records again and again
   */
  put<T extends RecordType>(type: T, records: StoredRecords[T][], keepHidden?: ReadonlySet<string>): Promise<PutCounts>

  /** Turns records into tombstones. Ids that are unknown or removed already are passed over. Returns how many were set. */
  remove(type: RecordType, ids: string[]): Promise<number>

  /** What is stored under these ids, in any state, unchecked and in no order; ids that are unknown are left out. */
  findStored(type: RecordType, ids: string[]): Promise<{ id: string; stored: unknown }[]>

  /** Ids of records that are not removed, in order, after `afterId` (null: from the start). */
  listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]>

  /** What changed among skills behind `watermark` (null: since the beginning), up to `limit` of them. */
  changesAfter(watermark: string | null, limit: number): Promise<SkillChanges>

  /** The watermark of this moment: `changesAfter` it tells at least everything that is written from now on. */
  presentWatermark(): Promise<string>

  /**
   * Calls `onChange` soon after other applications wrote skills, where the store can tell. A hint to ask `changesAfter`
   * sooner and never the truth: hints may be lost, or come without a change.
   *
   * @returns ends it
   */
  watch(onChange: () => void): () => Promise<void>

  /** Published skills by id, after `afterId` (null: from the start); unchecked, as `changesAfter`. */
  scanSkills(afterId: string | null, limit: number): Promise<{ id: string; stored: StoredSkill }[]>

  /** How many skills are published now: an exact count, also while others write. */
  countPublished(): Promise<number>

  /** The figures of the whole catalog as they are now, without `freshness` of index and files. */
  computeStats(): Promise<
    Omit<Stats, 'freshness'> & { freshness: Pick<Stats['freshness'], 'newestSkillUpdatedAt' | 'oldestSkillUpdatedAt'> }
  >

  /**
   * The rows of an export in their fixed order, at most `limit`, and how many there are in all.
   * Skills: stars descending, then id; prompts: id; organizations: skills descending, stars descending, then login.
   */
  exportRows<T extends RecordType>(type: T, limit: number): Promise<{ total: number; rows: PublicRecords[T][] }>

  /** A small JSON document kept under a name (watermarks, job states, statistics); null when there is none. */
  readState<T>(key: string): Promise<T | null>

  /** Keeps a small JSON document; null forgets it. */
  writeState(key: string, value: unknown): Promise<void>

  /** Keeps or replaces dead letters by id. */
  keepDeadLetters(letters: DeadLetter[]): Promise<void>

  /** Forgets the dead letters of these ids: they have been indexed, or are gone. */
  dropDeadLetters(ids: string[]): Promise<void>

  /** Dead letters by id, after `afterId`. */
  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]>

  /** Takes the lock of this name, or null when another process (or another holder in this one) has it. Never waits. */
  lock(name: string): Promise<Lock | null>

  close(): Promise<void>
}

/** What a list matches is counted up to here, where it has to be counted. */
export const maxListTotal = 10_000

/** How many topics an organization shows. */
export const topTopicsPerOrganization = 5

/** How many rows the statistics' top lists have. */
export const topListLength = 20
