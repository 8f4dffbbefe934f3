import Database from 'libsql'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { PutCounts, StateChange } from '../../../shared/ports/record-writer.js'
import type { SkillContent } from '../../../shared/ports/skill-texts.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'
import { IdSet } from './record-ids.js'

/** Size of a batch of long records: small enough to hold in memory. */
const maxBytes = 20_000_000

/** The destination of records: the catalog, or a preview that only counts the effects. */
export type RecordSink = Pick<Catalog, 'put' | 'setStates' | 'remove' | 'recordsPerPut'>

/** The effects of an import on the catalog. */
export interface WriteCounts extends PutCounts {
  /** The number of records that became tombstones. */
  removed: number
  /** The number of skills that lost their text to a record without one. */
  droppedTexts: number
}

/** A record to write, or null for an id to remove; and whether its source has a state. */
export interface Held<T extends RecordType> {
  record: StoredRecords[T] | null
  hasState: boolean
  /** Whether its source has the public fields only. */
  isPublicOnly?: true | undefined
  /** The text and files of a skill. */
  content?: SkillContent | undefined
  /** Set where the source has only an identity and a state: then `record` is written only if none is stored yet. */
  change?: StateOnly
}

/** The change of a state, and the record of the source that asks for it, for messages. */
export interface StateOnly extends StateChange {
  label: string
  place: string
  /** Why it cannot be added as a record; null: it can. */
  reason: string | null
}

/** Records to write, by id. */
type Batch<T extends RecordType> = Map<string, Held<T>>

/**
 * Writes records in batches. Of several records of one id the last is written; the others count as unchanged. With
 * `held`, new records are written at once, and changes and removals at the end, so that the same records again change
 * nothing, however far from each other those of one id are.
 */
export class BatchWriter<T extends RecordType> {
  readonly counts: WriteCounts = { added: 0, changed: 0, unchanged: 0, removed: 0, droppedTexts: 0 }
  #batch: Batch<T> = new Map()
  #bytes = 0
  /** The write of the batch before: records are read on meanwhile. */
  #writing = Promise.resolve()

  constructor(
    private readonly type: T,
    private readonly sink: RecordSink,
    private readonly held: HeldRecords<T> | null = null,
    /** Called for a change of state whose record is unknown: it cannot be added. */
    private readonly onUnknown: (change: StateOnly) => void = () => undefined,
  ) {}

  /**
   * @param sizeBytes its approximate size
   * @param hasState false when `published` is only assumed: a hidden record then stays hidden
   * @param more what else is known of it
   */
  async add(
    record: StoredRecords[T],
    sizeBytes: number,
    hasState = true,
    more: Pick<Held<T>, 'content' | 'isPublicOnly'> = {},
  ): Promise<void> {
    // A removal without a time: the store sets the time of the first write.
    const undated = record.state === 'removed' && record.removedAt === null
    const next = { record: undated ? null : record, hasState, ...more }
    await this.#add(recordId(this.type, record), next, sizeBytes)
  }

  /**
   * Changes the state of a record, and nothing else of it.
   *
   * @param record to be added where there is none of this id; null: `change.reason` says why there is none
   */
  async addState(change: StateOnly, record: StoredRecords[T] | null, sizeBytes: number): Promise<void> {
    await this.#add(change.id, { record, hasState: true, change }, sizeBytes)
  }

  async #add(id: string, next: Held<T>, sizeBytes: number): Promise<void> {
    const before = this.#batch.get(id) ?? null
    if (before !== null) {
      this.counts.unchanged += 1
    }
    if (this.#fill(id, follow(before, next), sizeBytes)) {
      await this.#begin()
    }
  }

  /** Puts a record into the batch. Returns whether that is to be written. */
  #fill(id: string, record: Held<T>, sizeBytes: number): boolean {
    this.#batch.set(id, record)
    this.#bytes += sizeBytes
    return this.#batch.size >= this.sink.recordsPerPut || this.#bytes >= maxBytes
  }

  #take(): Batch<T> {
    const batch = this.#batch
    this.#batch = new Map()
    this.#bytes = 0
    return batch
  }

  /** Writes the last batch, then what is held. */
  async flush(signal?: AbortSignal): Promise<void> {
    await this.#begin()
    await this.#writing
    for (const { id, held, sizeBytes } of this.held ?? []) {
      if (this.#fill(id, held, sizeBytes)) {
        signal?.throwIfAborted()
        await this.#write(this.#take(), false)
      }
    }
    await this.#write(this.#take(), false)
  }

  /** Waits for the write that was begun, however it ends. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => undefined)
  }

  /** Begins to write the batch when the one before is written. */
  async #begin(): Promise<void> {
    await this.#writing
    const batch = this.#take()
    this.#writing = this.#write(this.held === null ? batch : this.#withoutHeld(batch, this.held), this.held !== null)
    // Awaited by the next call; until then a rejection must not count as unhandled.
    this.#writing.catch(() => undefined)
  }

  /** Holds removals and changes of states, and the records of ids of which one is held already. Returns the others. */
  #withoutHeld(batch: Batch<T>, held: HeldRecords<T>): Batch<T> {
    const others: Batch<T> = new Map()
    for (const [id, next] of batch) {
      const before = held.get(id)
      if (before !== null) {
        this.counts.unchanged += 1
      }
      if (before !== null || next.record === null || next.change !== undefined) {
        held.set(id, follow(before, next))
      } else {
        others.set(id, next)
      }
    }
    return others
  }

  async #write(batch: Batch<T>, holdChanges: boolean): Promise<void> {
    const changes = [...batch.values()].flatMap(({ change }) => (change === undefined ? [] : [change]))
    if (changes.length > 0) {
      await this.#writeStates(changes, batch)
    }
    const others = [...batch].filter(([, { change }]) => change === undefined)
    await this.#put(
      others.flatMap(([, { record }]) => (record === null ? [] : [record])),
      batch,
      holdChanges,
    )
    const removals = others.filter(([, { record }]) => record === null).map(([id]) => id)
    if (removals.length > 0) {
      const removed = await this.sink.remove(this.type, removals)
      this.counts.removed += removed
      this.counts.unchanged += removals.length - removed
    }
  }

  async #writeStates(changes: StateOnly[], batch: Batch<T>): Promise<void> {
    const { changed, unknown } = await this.sink.setStates(this.type, changes)
    const changedIds = new Set(changed)
    const removed = changes.filter(({ id, state }) => state === 'removed' && changedIds.has(id)).length
    this.counts.removed += removed
    this.counts.changed += changed.length - removed
    this.counts.unchanged += changes.length - changed.length - unknown.length
    const added: StoredRecords[T][] = []
    for (const { change, record } of unknown.flatMap((id) => batch.get(id) ?? [])) {
      if (record !== null && (record.state !== 'removed' || record.removedAt !== null)) {
        added.push(record)
      } else if (change !== undefined && change.reason !== null) {
        this.onUnknown(change)
      } else {
        // There is nothing to remove.
        this.counts.unchanged += 1
      }
    }
    await this.#put(added, batch, false)
  }

  async #put(records: StoredRecords[T][], batch: Batch<T>, holdChanges: boolean): Promise<void> {
    if (records.length === 0) {
      return
    }
    const keepHidden = new Set([...batch].filter(([, { hasState }]) => !hasState).map(([id]) => id))
    const keepMore = new Set([...batch].filter(([, { isPublicOnly }]) => isPublicOnly).map(([id]) => id))
    const contents = records.flatMap((record) => batch.get(recordId(this.type, record))?.content ?? [])
    const counts = await this.sink.put(this.type, records, { keepHidden, keepMore, holdChanges, contents })
    this.counts.added += counts.added
    this.counts.changed += counts.changed
    this.counts.unchanged += counts.unchanged
    this.counts.droppedTexts += counts.droppedTexts ?? 0
    for (const id of counts.held ?? []) {
      const next = batch.get(id)
      if (next !== undefined) {
        this.held?.set(id, next)
      }
    }
  }
}

/**
 * What the second of two records of one id leaves: as in the catalog, one without a state does not show a hidden one, and
 * one with nothing else changes the state alone.
 */
function follow<T extends RecordType>(before: Held<T> | null, next: Held<T>): Held<T> {
  if (next.change !== undefined) {
    const { state, removedAt } = next.change
    const isContent = before !== null && before.change === undefined && before.record !== null
    return isContent && (state !== 'removed' || removedAt !== null)
      ? { ...before, record: { ...before.record, state, removedAt } as StoredRecords[T], hasState: true }
      : next
  }
  const isHidden = (before?.change ?? before?.record)?.state === 'hidden'
  return next.record !== null && !next.hasState && isHidden
    ? { ...next, record: { ...next.record, state: 'hidden' }, hasState: true }
    : next
}

/**
 * Records that an import writes after it has read all of its sources: a later record of the same id may put back what is
 * stored already. Any number of them: they lie in a temporary file of SQLite's, which deletes itself, and is written
 * only when they need more than a few megabytes.
 */
export class HeldRecords<T extends RecordType> {
  readonly #db: Database.Database
  readonly #select: Database.Statement
  readonly #replace: Database.Statement
  /** Says of nearly all ids, without a query, that they are not held; a false positive costs one query. */
  readonly #ids = new IdSet()

  constructor() {
    // The empty name is a temporary database.
    this.#db = new Database('')
    this.#db.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
       CREATE TABLE held (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, held TEXT NOT NULL);`,
    )
    this.#select = this.#db.prepare('SELECT held FROM held WHERE id = ?')
    this.#replace = this.#db.prepare('INSERT OR REPLACE INTO held (id, held) VALUES (?, ?)')
  }

  get(id: string): Held<T> | null {
    const found = this.#ids.has(id) ? this.#select.get([id]) : undefined
    return found === undefined ? null : JSON.parse((found as { held: string }).held)
  }

  /** Keeps a record in place of any that is held for the same id. */
  set(id: string, held: Held<T>): void {
    this.#ids.add(id)
    this.#replace.run([id, JSON.stringify(held)])
  }

  /** The held records, in the order in which they were kept. */
  *[Symbol.iterator](): Generator<{ id: string; held: Held<T>; sizeBytes: number }> {
    const rows = this.#db.prepare('SELECT id, held FROM held ORDER BY place').iterate([])
    for (const { id, held } of rows as Iterable<{ id: string; held: string }>) {
      yield { id, held: JSON.parse(held), sizeBytes: held.length }
    }
  }

  close(): void {
    this.#db.close()
  }
}
