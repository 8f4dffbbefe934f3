import type { Catalog } from '../../../shared/ports/catalog.js'
import type { PutOptions, PutResult, StateChange, StateResult } from '../../../shared/ports/record-writer.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'
import { inState, isSameRecord, recordToWrite, removals } from '../../../shared/write-outcome.js'
import type { RecordSink } from './batch-writer.js'
import { IdSet } from './record-ids.js'

/** Records compared at a time: a document of another application may have megabytes. */
const recordsPerRead = 20

/**
 * Counts the effects of an import, and writes nothing. Of earlier batches only the ids are kept: a record that is
 * repeated in a later batch is compared with the stored one.
 */
export class PreviewSink implements RecordSink {
  readonly recordsPerPut = 5_000
  readonly #added = new IdSet()

  /** @param catalog null for one that does not exist yet */
  constructor(private readonly catalog: Pick<Catalog, 'findStored'> | null) {}

  async put<T extends RecordType>(type: T, records: StoredRecords[T][], options: PutOptions = {}): Promise<PutResult> {
    const held: string[] = []
    const counts: PutResult = { added: 0, changed: 0, unchanged: 0, ...(options.holdChanges ? { held } : {}) }
    for (let start = 0; start < records.length; start += recordsPerRead) {
      const some = new Map(
        records.slice(start, start + recordsPerRead).map((record) => [recordId(type, record), record]),
      )
      const stored = await this.#stored(type, [...some.keys()], 'all')
      for (const [id, record] of some) {
        const before = stored.get(id)
        if (before === undefined && this.#added.add(id)) {
          counts.added += 1
        } else {
          const stored = before === undefined ? null : { state: before['state'], members: () => before }
          const next = recordToWrite(id, record, stored, options)
          const isSame = before !== undefined && isSameRecord(before, next)
          if (isSame || !options.holdChanges) {
            counts[isSame ? 'unchanged' : 'changed'] += 1
          } else {
            held.push(id)
          }
        }
      }
    }
    return counts
  }

  async setStates(type: RecordType, changes: StateChange[]): Promise<StateResult> {
    const stored = await this.#stored(
      type,
      changes.map(({ id }) => id),
      'fields',
    )
    const now = new Date()
    const result: StateResult = { changed: [], unknown: [] }
    for (const change of changes) {
      const before = stored.get(change.id)
      if (before === undefined) {
        // Without its content, a record that this import adds counts as changed.
        result[this.#added.has(change.id) ? 'changed' : 'unknown'].push(change.id)
      } else if (inState(before, change, now) !== null) {
        result.changed.push(change.id)
      }
    }
    return result
  }

  async remove(type: RecordType, ids: string[]): Promise<number> {
    return (await this.setStates(type, removals(ids))).changed.length
  }

  async #stored(
    type: RecordType,
    ids: string[],
    members: 'all' | 'fields',
  ): Promise<Map<string, Record<string, unknown>>> {
    const found = this.catalog === null ? [] : await this.catalog.findStored(type, ids, members)
    return new Map(found.map(({ id, stored }) => [id, stored as Record<string, unknown>]))
  }
}
