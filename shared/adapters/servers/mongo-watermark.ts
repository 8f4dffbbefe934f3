import { z } from 'zod'

/**
 * How long after the database noted the time of a change it may become visible: a long write, or a primary whose clock
 * is behind that of the one before it. So far back every run looks again.
 */
export const overlapMs = 5_000

/** Beyond so many changes in the overlap they are told again instead of being remembered. */
const mostRemembered = 5_000

/** A change that has been told: its id, and what it was (see `markOf`). */
const Told = z.record(z.string(), z.object({ mark: z.string(), at: z.number() }))
type Told = z.infer<typeof Told>

/**
 * A position in the history of changes, by the database's clock in epoch milliseconds.
 *
 * A change that was noted before `settledBefore` is either behind us or was never made. What comes later may still
 * turn up in between, so the next run begins there, and passes over what it has `told` already.
 */
const Watermark = z.object({
  settledBefore: z.number(),
  told: Told,
  /**
   * Within a run: the last change that was told, and the time from which the next run must look again; null while the
   * run is among changes that nothing can turn up between any more.
   */
  within: z.object({ at: z.number(), id: z.string(), nextSettledBefore: z.number().nullable() }).nullable(),
})
export type Watermark = z.infer<typeof Watermark>

export const beginning: Watermark = { settledBefore: 0, told: {}, within: null }

/** Reads a watermark; one that cannot be read is the beginning of everything: repeating is harmless, skipping is not. */
export function readWatermark(text: string | null): Watermark {
  if (text === null) {
    return beginning
  }
  try {
    return Watermark.parse(JSON.parse(text))
  } catch {
    return beginning
  }
}

export const writeWatermark = (watermark: Watermark): string => JSON.stringify(watermark)

/** One change as it is told: which document, when, and what it was. */
export interface ToldChange {
  id: string
  at: number
  mark: string
}

/** What tells one change of a skill from the next. */
export const markOf = (changedAt: Date, hash: string): string => `${changedAt.getTime()}.${hash.slice(0, 8)}`

/**
 * The watermark behind a stretch of changes.
 *
 * @param now the database's clock before the stretch was read
 * @param more whether the run goes on
 */
export function advance(watermark: Watermark, changes: ToldChange[], now: number, more: boolean): Watermark {
  const last = changes.at(-1)
  if (last === undefined && !more && watermark.within === null && Object.keys(watermark.told).length === 0) {
    // Nothing there, nothing to remember: the same position says as much as a later one.
    return watermark
  }
  const unsettledFrom = Math.max(0, now - overlapMs)
  // From the first stretch on that reaches into what is not settled yet: what turns up there later was not seen.
  const reached = !more || (last !== undefined && last.at >= unsettledFrom)
  const nextSettledBefore = watermark.within?.nextSettledBefore ?? (reached ? unsettledFrom : null)
  const told = remember(watermark.told, changes, nextSettledBefore ?? unsettledFrom)
  if (more && last !== undefined) {
    return { settledBefore: watermark.settledBefore, told, within: { at: last.at, id: last.id, nextSettledBefore } }
  }
  return { settledBefore: nextSettledBefore ?? unsettledFrom, told, within: null }
}

function remember(told: Told, changes: ToldChange[], from: number): Told {
  const kept = [
    ...Object.entries(told),
    ...changes.map(({ id, at, mark }): [string, { at: number; mark: string }] => [id, { at, mark }]),
  ].filter(([, { at }]) => at >= from)
  return kept.length > mostRemembered ? {} : Object.fromEntries(kept)
}
