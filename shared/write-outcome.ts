import type { RecordState } from './records/fields.js'
import { canonicalJson } from './text/canonical-json.js'

/**
 * The state that a record is written with: a hidden record stays hidden, unless its source says otherwise.
 *
 * @param stored the state before
 * @param keepsHidden whether the source does not give a state
 */
export const stateToWrite = (given: RecordState, stored: unknown, keepsHidden: boolean): RecordState =>
  given === 'published' && stored === 'hidden' && keepsHidden ? 'hidden' : given

/** Whether two stored records have equal content. `indexedAt` belongs to the store, not to the record. */
export const isSameRecord = (a: object, b: object): boolean => comparable(a) === comparable(b)

const comparable = (record: object): string => canonicalJson({ ...record, indexedAt: null })
