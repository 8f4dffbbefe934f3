import { sequenceStep } from '../../shared/ports/change-log.js'

const dayMs = 86_400_000

/** How many days are told apart: the numbers between two sequences. */
const days = sequenceStep - 1

/**
 * Where somebody who reads the changes stands.
 *
 * Whoever has read on from some day must go back to the start when removals that he has not read were dropped. Whoever
 * reads everything from the start passes the same old sequences, and misses nothing by it. So a position on such a walk
 * is marked: its number lies between two sequences, and says by how much on which day the walk began.
 */
export interface ChangePosition {
  /** Everything up to here has been read. */
  sequence: number
  /** On a walk from the start: the beginning of the day on which it began, epoch milliseconds; else null. */
  walkingSinceMs: number | null
}

/**
 * What a number that a client gives means.
 *
 * @param nowMs epoch milliseconds: of the days that a mark may mean, the last one is taken, so that a walk may rest for
 * more than two years
 */
export function readChangePosition(since: number, nowMs: number): ChangePosition {
  const mark = since % sequenceStep
  const sequence = since - mark
  if (mark === 0 && since !== 0) {
    return { sequence, walkingSinceMs: null }
  }
  const today = Math.floor(nowMs / dayMs)
  const day = mark === 0 ? today : today - ((((today - (mark - 1)) % days) + days) % days)
  return { sequence, walkingSinceMs: day * dayMs }
}

/**
 * The number that continues at a position.
 *
 * @param horizon see `ChangeLog.after`: from there on a walk is where anybody else is, and needs no mark
 */
export function writeChangePosition({ sequence, walkingSinceMs }: ChangePosition, horizon: number): number {
  return walkingSinceMs === null || sequence >= horizon ? sequence : sequence + ((walkingSinceMs / dayMs) % days) + 1
}

/** Whether nothing is missing behind a position. */
export function canContinue(
  { sequence, walkingSinceMs }: ChangePosition,
  { head, horizon }: { head: number; horizon: number },
): boolean {
  if (sequence > head) {
    return false
  }
  // A walk may have met as published only what was removed since it began.
  return sequence >= horizon || (walkingSinceMs !== null && horizon <= walkingSinceMs * sequenceStep)
}
