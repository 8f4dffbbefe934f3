import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { PutCounts } from '../../../shared/ports/record-writer.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'

/** Size of a batch of long records: small enough to hold in memory. */
const maxBytes = 20_000_000

/** The destination of records: the catalog, or a preview that only counts the effects. */
export type RecordSink = Pick<Catalog, 'put' | 'remove' | 'recordsPerPut'>

export interface WriteCounts extends PutCounts {
  /** The number of records that became tombstones. */
  removed: number
}

/** Writes records in batches. The counts are those of records written one after the other. */
export class BatchWriter<T extends RecordType> {
  readonly counts: WriteCounts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  /** The records to write, by id; null for an id to remove. */
  readonly #batch = new Map<string, StoredRecords[T] | null>()
  /** Ids of the batch whose source has no state. */
  readonly #stateless = new Set<string>()
  #bytes = 0
  /** The write of the batch before: records are read on meanwhile. */
  #writing = Promise.resolve()

  constructor(
    private readonly type: T,
    private readonly sink: RecordSink,
  ) {}

  /**
   * @param sizeBytes its approximate size
   * @param hasState false when `published` is only assumed: a hidden record then stays hidden
   */
  async add(record: StoredRecords[T], sizeBytes: number, hasState = true): Promise<void> {
    // Its time of removal is not known: the store sets its own, once.
    const undated = record.state === 'removed' && record.removedAt === null
    const id = recordId(this.type, record)
    const next = undated ? null : record
    const before = this.#batch.get(id)
    if (before !== undefined) {
      this.counts[isDeepStrictEqual(before, next) ? 'unchanged' : 'changed'] += 1
    }
    this.#batch.set(id, next)
    this.#stateless[hasState ? 'delete' : 'add'](id)
    this.#bytes += sizeBytes
    if (this.#batch.size >= this.sink.recordsPerPut || this.#bytes >= maxBytes) {
      await this.#begin()
    }
  }

  /** Writes the last batch. */
  async flush(): Promise<void> {
    await this.#begin()
    await this.#writing
  }

  /** Waits for the write that was begun, however it ends. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => undefined)
  }

  /** Begins to write the batch when the one before is written. */
  async #begin(): Promise<void> {
    await this.#writing
    const records = [...this.#batch.values()].filter((record) => record !== null)
    const keepHidden = new Set(this.#stateless)
    const removals = [...this.#batch].filter(([, record]) => record === null).map(([id]) => id)
    this.#batch.clear()
    this.#stateless.clear()
    this.#bytes = 0
    this.#writing = this.#write(records, removals, keepHidden)
    // Awaited by the next call; until then a rejection must not count as unhandled.
    this.#writing.catch(() => undefined)
  }

  async #write(records: StoredRecords[T][], removals: string[], keepHidden: Set<string>): Promise<void> {
    if (records.length > 0) {
      const counts = await this.sink.put(this.type, records, keepHidden)
      this.counts.added += counts.added
      this.counts.changed += counts.changed
      this.counts.unchanged += counts.unchanged
    }
    if (removals.length > 0) {
      const removed = await this.sink.remove(this.type, removals)
      this.counts.removed += removed
      this.counts.unchanged += removals.length - removed
    }
  }
}
