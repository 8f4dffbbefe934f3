import type { CatalogStore, PutCounts } from '../../../shared/ports/catalog-store.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'
import { canonicalJson } from '../../../shared/text/canonical-json.js'
import type { RecordSink } from './batch-writer.js'
import { IdSet } from './id-set.js'

/**
 * Tells what the catalog would do, and writes nothing. What earlier batches would have written is not kept, beyond
 * which ids they had: a record that is repeated in a later batch is compared with what is stored now.
 */
export class PreviewSink implements RecordSink {
  readonly #added = new IdSet()

  /** @param catalog null for one that does not exist yet */
  constructor(private readonly catalog: Pick<CatalogStore, 'findStored'> | null) {}

  async put<T extends RecordType>(type: T, records: StoredRecords[T][]): Promise<PutCounts> {
    const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
    const stored = await this.#stored(
      type,
      records.map((record) => recordId(type, record)),
    )
    for (const record of records) {
      const id = recordId(type, record)
      const before = stored.get(id)
      if (before === undefined && !this.#added.has(id)) {
        this.#added.add(id)
        counts.added += 1
      } else {
        counts[before === comparable(record) ? 'unchanged' : 'changed'] += 1
      }
    }
    return counts
  }

  async remove(type: RecordType, ids: string[]): Promise<number> {
    const stored = await this.#stored(type, ids)
    return ids.filter((id) => stored.get(id)?.includes('"state":"removed"') === false).length
  }

  async findStored(type: RecordType, ids: string[]): Promise<{ id: string; stored: unknown }[]> {
    return this.catalog === null ? [] : this.catalog.findStored(type, ids)
  }

  async #stored(type: RecordType, ids: string[]): Promise<Map<string, string>> {
    const found = await this.findStored(type, ids)
    return new Map(found.map(({ id, stored }) => [id, comparable(stored)]))
  }
}

/** A record as text, without what the store itself writes into it. */
const comparable = (record: unknown): string => canonicalJson({ ...(record as object), indexedAt: null })
