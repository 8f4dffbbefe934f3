import type { Collection, Document } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import { operatorError, unavailable } from '../../../../runtime/errors.js'
import type { RejectedWrites } from '../bulk-write.js'
import type { Stamper } from '../ingest/stamper.js'
import { readBatches } from './read-documents.js'

/** The maximum number of attempts to write a record that other programs keep changing. */
const maxAttempts = 5

/** A collection of records, the stamper for documents of other applications in it, and the database's time. */
export interface RecordCollection<T extends RecordType> {
  collection: Collection
  type: T
  settings: DocumentSettings
  stamper: Stamper
  now: Date
}

/**
 * Repeats a write until nothing of it is rejected. Another application has changed the document of a rejected write, or
 * added one with the same id; these documents are stamped before the next attempt.
 */
export async function retryRefused<T extends RecordType>(
  attempt: () => Promise<Read[]>,
  { collection, stamper, now }: RecordCollection<T>,
): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const refused = await attempt()
    if (refused.length === 0) {
      return
    }
    if (attempts === maxAttempts) {
      const ids = refused.map(({ id }) => id)
      throw unavailable(
        'records_contended',
        `Other programs keep changing ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''} ` +
          'while they are written. What was written before stays; run it again.',
        5,
      )
    }
    const identities = refused.map(({ id, before }) => before?.['_id'] ?? id)
    for await (const documents of readBatches(collection, { _id: { $in: identities } }, identities.length)) {
      await stamper.stamp(documents, now)
    }
  }
}

/** A document that was found for a record. */
export interface Read {
  id: string
  /** What the write depends on of the document as it was read; null: the record has none. */
  before: Document | null
}

/** Whether a stamped document is still the record of this id: it may have been renamed since. */
export const isRecord = (type: RecordType, id: string, stored: Record<string, unknown>): boolean =>
  recordId(type, stored as unknown as StoredRecords[RecordType]) === id

export const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)

/** @throws AppError `document_refused` where the database did not accept a document */
export function refuse(
  type: RecordType,
  { refused: [first] }: RejectedWrites,
  idAt: (place: number) => string | undefined,
) {
  if (first !== undefined) {
    throw operatorError(
      'document_refused',
      `MongoDB does not accept the document of ${idAt(first.place)}: ${first.reason}. ` +
        `Change the record, or the validator of the collection ${type}.`,
    )
  }
}
