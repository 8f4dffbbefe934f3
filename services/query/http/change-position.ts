import { sequenceStep } from '../../../shared/ports/change-log.js'

const dayMs = 86_400_000

/** Number of days that a position can distinguish: the numbers between two sequences. */
const days = sequenceStep - 1

/**
 * A client's position in the change log.
 *
 * A client that read up to a sequence must start again once removals after it were dropped. A client that reads from
 * the start passes the same sequences, but misses nothing. So positions of a read from the start are marked: the number
 * lies between two sequences, and its offset encodes the day on which the read began.
 */
export interface ChangePosition {
  /** The client has read every change up to this sequence. */
  sequence: number
  /** For a read from the start: the beginning of the day on which it began, epoch milliseconds; else null. */
  readStartedMs: number | null
}

/**
 * Decodes the number that a client sends.
 *
 * @param nowMs epoch milliseconds: a mark means the latest day with its offset, so that a read from the start may
 * pause for more than two years
 */
export function readChangePosition(since: number, nowMs: number): ChangePosition {
  const mark = since % sequenceStep
  const sequence = since - mark
  if (mark === 0 && since !== 0) {
    return { sequence, readStartedMs: null }
  }
  const today = Math.floor(nowMs / dayMs)
  const day = mark === 0 ? today : today - ((((today - (mark - 1)) % days) + days) % days)
  return { sequence, readStartedMs: day * dayMs }
}

/**
 * Encodes a position as the number to continue with.
 *
 * @param horizon see `ChangeLog.after`: from there on a read from the start needs no mark
 */
export function writeChangePosition({ sequence, readStartedMs }: ChangePosition, horizon: number): number {
  return readStartedMs === null || sequence >= horizon ? sequence : sequence + ((readStartedMs / dayMs) % days) + 1
}

/** Whether the log still has every change after the position. */
export function canContinue(
  { sequence, readStartedMs }: ChangePosition,
  { head, horizon }: { head: number; horizon: number },
): boolean {
  if (sequence > head) {
    return false
  }
  // The client may hold a skill that was removed since its read began, with the removal dropped.
  return sequence >= horizon || (readStartedMs !== null && horizon <= readStartedMs * sequenceStep)
}
