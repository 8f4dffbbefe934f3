import type { RecordType } from '../records/records.js'
import type { Fence } from './locks.js'

/** A record that could not be published or indexed, kept for the operator. */
export interface DeadLetter {
  /** See `letterId`. */
  id: string
  reason: string
  /** ISO-8601. */
  since: string
  /** The fault: `document`: it cannot be published as stored; `index`: the search index rejects it. */
  source: 'document' | 'index'
}

/** The id of a record's dead letter: a skill's own id, and of others with their type, since types may share an id. */
export const letterId = (type: RecordType, id: string): string => (type === 'skills' ? id : `${type}:${id}`)

/** The type and the id of the record that a dead letter is about. No id of a skill has a colon. */
export function readLetterId(letter: string): { type: RecordType; id: string } {
  const [, type = 'skills', id = letter] = /^(prompts|organizations):(.*)$/s.exec(letter) ?? []
  return { type: type as RecordType, id }
}

/**
 * The records that could not be published or indexed.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface DeadLetters {
  /**
   * Keeps dead letters, or replaces those of the same id, whose time stays.
   *
   * @throws AppError `lock_lost` (409) when a later holder of the lock has written one of them
   */
  keepDeadLetters(letters: DeadLetter[], fence: Fence): Promise<void>

  /** Drops the letters of this source with these ids. */
  dropDeadLetters(ids: string[], source: DeadLetter['source'], fence: Fence): Promise<void>

  /** Dead letters by id, after `afterId`. */
  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]>
}
