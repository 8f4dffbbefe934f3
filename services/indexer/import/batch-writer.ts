import type { Catalog } from '../../../shared/ports/catalog.js'
import type { PutCounts } from '../../../shared/ports/record-writer.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'
import type { Held, HeldRecords } from './held-records.js'

/** Size of a batch of long records: small enough to hold in memory. */
const maxBytes = 20_000_000

/** The destination of records: the catalog, or a preview that only counts the effects. */
export type RecordSink = Pick<Catalog, 'put' | 'remove' | 'recordsPerPut'>

export interface WriteCounts extends PutCounts {
  /** The number of records that became tombstones. */
  removed: number
}

/** Records to write, by id. */
type Batch<T extends RecordType> = Map<string, Held<T>>

/**
 * Writes records in batches. Of several records of one id the last is written; the others count as unchanged. With
 * `held`, new records are written at once, and changes and removals at the end, so that the same records again change
 * nothing, however far from each other those of one id are.
 */
export class BatchWriter<T extends RecordType> {
  readonly counts: WriteCounts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  #batch: Batch<T> = new Map()
  #bytes = 0
  /** The write of the batch before: records are read on meanwhile. */
  #writing = Promise.resolve()

  constructor(
    private readonly type: T,
    private readonly sink: RecordSink,
    private readonly held: HeldRecords<T> | null = null,
  ) {}

  /**
   * @param sizeBytes its approximate size
   * @param hasState false when `published` is only assumed: a hidden record then stays hidden
   */
  async add(record: StoredRecords[T], sizeBytes: number, hasState = true): Promise<void> {
    // Its time of removal is not known: the store sets its own, once.
    const undated = record.state === 'removed' && record.removedAt === null
    const id = recordId(this.type, record)
    const before = this.#batch.get(id) ?? null
    if (before !== null) {
      this.counts.unchanged += 1
    }
    this.#batch.set(id, follow(before, { record: undated ? null : record, hasState }))
    this.#bytes += sizeBytes
    if (this.#batch.size >= this.sink.recordsPerPut || this.#bytes >= maxBytes) {
      await this.#begin()
    }
  }

  /** Writes the last batch, then what is held. */
  async flush(signal?: AbortSignal): Promise<void> {
    await this.#begin()
    await this.#writing
    let batch: Batch<T> = new Map()
    let bytes = 0
    for (const { id, held, sizeBytes } of this.held ?? []) {
      batch.set(id, held)
      bytes += sizeBytes
      if (batch.size >= this.sink.recordsPerPut || bytes >= maxBytes) {
        signal?.throwIfAborted()
        await this.#write(batch, false)
        batch = new Map()
        bytes = 0
      }
    }
    await this.#write(batch, false)
  }

  /** Waits for the write that was begun, however it ends. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => undefined)
  }

  /** Begins to write the batch when the one before is written. */
  async #begin(): Promise<void> {
    await this.#writing
    const batch = this.#batch
    this.#batch = new Map()
    this.#bytes = 0
    this.#writing = this.#write(this.held === null ? batch : this.#withoutHeld(batch, this.held), this.held !== null)
    // Awaited by the next call; until then a rejection must not count as unhandled.
    this.#writing.catch(() => undefined)
  }

  /** Holds the removals, and the records of ids of which one is held already. Returns the others. */
  #withoutHeld(batch: Batch<T>, held: HeldRecords<T>): Batch<T> {
    const others: Batch<T> = new Map()
    for (const [id, next] of batch) {
      const before = held.get(id)
      if (before !== null) {
        this.counts.unchanged += 1
      }
      if (before !== null || next.record === null) {
        held.set(id, follow(before, next))
      } else {
        others.set(id, next)
      }
    }
    return others
  }

  async #write(batch: Batch<T>, holdChanges: boolean): Promise<void> {
    const records = [...batch.values()].flatMap(({ record }) => (record === null ? [] : [record]))
    const removals = [...batch].filter(([, { record }]) => record === null).map(([id]) => id)
    if (records.length > 0) {
      const keepHidden = new Set([...batch].filter(([, { hasState }]) => !hasState).map(([id]) => id))
      const counts = await this.sink.put(this.type, records, keepHidden, holdChanges)
      this.counts.added += counts.added
      this.counts.changed += counts.changed
      this.counts.unchanged += counts.unchanged
      for (const id of counts.held ?? []) {
        const next = batch.get(id)
        if (next !== undefined) {
          this.held?.set(id, next)
        }
      }
    }
    if (removals.length > 0) {
      const removed = await this.sink.remove(this.type, removals)
      this.counts.removed += removed
      this.counts.unchanged += removals.length - removed
    }
  }
}

/** What the second of two records of one id leaves: as in the catalog, one without a state does not show a hidden one. */
function follow<T extends RecordType>(before: Held<T> | null, next: Held<T>): Held<T> {
  return next.record !== null && !next.hasState && before?.record?.state === 'hidden'
    ? { record: { ...next.record, state: 'hidden' }, hasState: true }
    : next
}
