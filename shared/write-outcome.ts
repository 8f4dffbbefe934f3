import type { PutOptions, StateChange } from './ports/record-writer.js'
import type { RecordState } from './records/fields.js'
import { canonicalJson } from './text/format-numbers.js'

/**
 * A record as it is written over the stored one, see `PutOptions`.
 *
 * @param before the stored one: its state, and all of it where that is needed; null: none is stored
 */
export function recordToWrite<R extends { state: RecordState }>(
  id: string,
  given: R,
  before: { state: unknown; members: () => Record<string, unknown> } | null,
  { keepHidden, keepMore }: PutOptions,
): R {
  const record = before !== null && keepMore?.has(id) ? withStoredMembers(given, before.members()) : given
  const staysHidden = given.state === 'published' && before?.state === 'hidden' && keepHidden?.has(id) === true
  return staysHidden ? { ...record, state: 'hidden' } : record
}

/** A record of the public fields only with the other members of the stored one: former ids, and what is not published. */
function withStoredMembers<R extends object>(given: R, stored: Record<string, unknown>): R {
  const { formerIds } = given as { formerIds?: unknown[] }
  return { ...stored, ...given, ...(formerIds?.length === 0 ? { formerIds: stored['formerIds'] ?? [] } : {}) }
}

/** The changes that make tombstones of these records, see `RecordWriter.remove`. */
export const removals = (ids: string[]): StateChange[] =>
  ids.map((id) => ({ id, state: 'removed', removedAt: null, unlessHidden: true }))

/**
 * A stored record in another state; null when it stays in its own.
 *
 * @param now the time of removal where the change has none
 */
export function inState<R extends { state?: unknown; removedAt?: unknown }>(
  stored: R,
  { state, removedAt, unlessHidden }: Omit<StateChange, 'id'>,
  now: Date,
): (R & { state: RecordState; removedAt: string | null }) | null {
  const isSame = stored.state === state && (removedAt === null || stored.removedAt === removedAt)
  return isSame || (unlessHidden && stored.state === 'hidden')
    ? null
    : { ...stored, state, removedAt: state === 'removed' ? (removedAt ?? now.toISOString()) : null }
}

/** Whether two stored records have equal content. `indexedAt` belongs to the store, not to the record. */
export const isSameRecord = (a: object, b: object): boolean => comparable(a) === comparable(b)

const comparable = (record: object): string => canonicalJson({ ...record, indexedAt: null })
