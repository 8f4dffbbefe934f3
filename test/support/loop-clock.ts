import { setInterval } from 'node:timers'

/** How often the event loop shows that it goes round. */
const beatMs = 10

/** The most that counts between two beats. */
const longestMs = 50

export interface LoopClock {
  /** Only the difference of two readings means something. */
  nowMs(): number
  stop(): void
}

/**
 * A monotonic clock for bounds on what is waited for: it goes while the event loop does. What holds up the process as a
 * whole is not what such a bound is about: other processes on the machine, or the half second in which the garbage of
 * the many tests before this one is collected.
 */
export function startLoopClock(): LoopClock {
  let lastMs = performance.now()
  let countedMs = 0
  const nowMs = () => {
    const ms = performance.now()
    countedMs += Math.min(ms - lastMs, longestMs)
    lastMs = ms
    return countedMs
  }
  const beat = setInterval(nowMs, beatMs)
  return { nowMs, stop: () => clearInterval(beat) }
}
