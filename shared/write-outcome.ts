import type { RecordState } from './records/fields.js'
import { canonicalJson } from './text/canonical-json.js'

/**
 * The state that a record is written with: a hidden one stays hidden, unless its source says that it is to be shown.
 *
 * @param stored the state before
 * @param keepsHidden whether the source does not say so
 */
export const stateToWrite = (given: RecordState, stored: unknown, keepsHidden: boolean): RecordState =>
  given === 'published' && stored === 'hidden' && keepsHidden ? 'hidden' : given

/** Whether two stored records have the same content. `indexedAt` is the store's, not the record's. */
export const isSameRecord = (a: object, b: object): boolean => comparable(a) === comparable(b)

const comparable = (record: object): string => canonicalJson({ ...record, indexedAt: null })
