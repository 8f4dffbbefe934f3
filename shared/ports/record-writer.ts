import type { RecordState } from '../records/fields.js'
import type { RecordType, StoredRecords } from '../records/records.js'
import type { SkillContent } from './skill-texts.js'

/** Numbers of records that a write added, changed, and found unchanged. */
export interface PutCounts {
  added: number
  changed: number
  unchanged: number
}

/** The state that a record is to have. */
export interface StateChange {
  id: string
  state: RecordState
  /** When a tombstone was set; null: the present time of the tombstone, or else that of this change. */
  removedAt: string | null
  /** Whether a hidden record is left as it is. Default: false. */
  unlessHidden?: true
}

/** How records are put. */
export interface PutOptions {
  /** Ids of published records whose source has no state: those that are hidden when they are written stay hidden. Default: none. */
  keepHidden?: ReadonlySet<string>
  /**
   * Ids of records whose source has the public fields only, such as a row of an export: the other members of the stored ones
   * stay. Default: none.
   */
  keepMore?: ReadonlySet<string>
  /** Adds records and changes none: returns the ids of those to change. Default: false. */
  holdChanges?: boolean
  /**
   * Texts and files of these skills, to be kept in place of earlier ones. That of a skill which is removed, or whose `digest`
   * is another one, is left out. A published skill whose text this changes is logged as changed, since its content hash
   * does not say so. Default: none.
   */
  contents?: SkillContent[]
}

/** The ids of a change of states. Those in neither list have the state already. */
export interface StateResult {
  changed: string[]
  /** No record has this id. */
  unknown: string[]
}

export interface PutResult extends PutCounts {
  /** Ids of stored records that differ from the given ones, and were left as they are; only with `holdChanges`. */
  held?: string[]
  /** The number of skills that lost their text, because the given records have no `digest`; absent: none. */
  droppedTexts?: number
}

/** A skill that had another id before. */
export interface Heir {
  formerId: string
  id: string
}

/**
 * Writes records, and reads them as they are stored.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface RecordWriter {
  /** The best number of records for one `put`. */
  readonly recordsPerPut: number

  /**
   * Adds or replaces records, whole; a repeated id counts once, the last wins.
   * All are written or none; a store without transactions may have written some whole records when it fails, and
   * writing them all again is harmless.
   * A skill's `indexedAt` is set to the store's clock when its public content changes; the record's own is ignored.
   *
   * @throws AppError `records_contended` (503) when other programs keep changing the same records
   */
  put<T extends RecordType>(type: T, records: StoredRecords[T][], options?: PutOptions): Promise<PutResult>

  /**
   * Sets the state of records, and changes nothing else of them. In documents of other applications it also unsets the
   * fields that say otherwise.
   */
  setStates(type: RecordType, changes: StateChange[]): Promise<StateResult>

  /**
   * Turns records into tombstones, as `setStates`; hidden ones stay hidden: a source that has one again must not publish it.
   * Returns the number of removals.
   */
  remove(type: RecordType, ids: string[]): Promise<number>

  /**
   * The stored records of these ids, in any state, unchecked and in no order; unknown ids are left out.
   *
   * @param members `fields`: members that are no fields of the type may be left out, as a README in each document.
   * Default: all
   */
  findStored(type: RecordType, ids: string[], members?: 'all' | 'fields'): Promise<{ id: string; stored: unknown }[]>

  /** Ids of all records of a repository in any state, in order: its own skill, and those that have names of their own. */
  idsOfRepository(repository: string): Promise<string[]>

  /** The skills in any state that had one of these ids before, with each of these ids. */
  findHeirs(formerIds: string[]): Promise<Heir[]>

  /** Ids of records that are not removed, in order, after `afterId` (null: from the start). */
  listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]>
}
