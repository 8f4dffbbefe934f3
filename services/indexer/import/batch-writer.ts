import { isDeepStrictEqual } from 'node:util'
import type { CatalogStore, PutCounts } from '../../../shared/ports/catalog-store.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'

/** How much is written at once: enough that a transaction's own cost does not show, and little to hold in memory. */
const mostRecords = 1_000
const mostBytes = 4_000_000

/** What records are written to: the catalog, or a preview that only counts what it would do. */
export type RecordSink = Pick<CatalogStore, 'put' | 'remove'>

export interface WriteCounts extends PutCounts {
  /** How many became tombstones. */
  removed: number
}

/** Writes records in batches. Each record is counted once, as if they had been written one after the other. */
export class BatchWriter<T extends RecordType> {
  readonly counts: WriteCounts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  /** What is to be written, by id; null for an id that is to be removed. */
  readonly #batch = new Map<string, StoredRecords[T] | null>()
  /** Records of the batch whose source does not say whether they are to be seen. */
  readonly #stateless = new Set<string>()
  #bytes = 0

  constructor(
    private readonly type: T,
    private readonly sink: RecordSink,
  ) {}

  /**
   * @param sizeBytes about how large it is
   * @param stateTold false when `published` is only what is assumed: then a record that was hidden stays so
   */
  async add(record: StoredRecords[T], sizeBytes: number, stateTold = true): Promise<void> {
    // Nobody knows when it was removed: the store's own clock tells, and keeps what it told the first time.
    const undated = record.state === 'removed' && record.removedAt === null
    const id = recordId(this.type, record)
    const next = undated ? null : record
    const before = this.#batch.get(id)
    if (before !== undefined) {
      this.counts[isDeepStrictEqual(before, next) ? 'unchanged' : 'changed'] += 1
    }
    this.#batch.set(id, next)
    this.#stateless[stateTold ? 'delete' : 'add'](id)
    this.#bytes += sizeBytes
    if (this.#batch.size >= mostRecords || this.#bytes >= mostBytes) {
      await this.flush()
    }
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    const records = [...this.#batch.values()].filter((record) => record !== null)
    const keepHidden = new Set(this.#stateless)
    const removals = [...this.#batch].filter(([, record]) => record === null).map(([id]) => id)
    this.#batch.clear()
    this.#stateless.clear()
    this.#bytes = 0
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
