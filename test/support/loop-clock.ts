import { setInterval } from 'node:timers'

const beatMs = 10

/** Maximum time that counts between two beats. */
const maxBeatMs = 2 * beatMs

export interface LoopClock {
  /** Only differences of two readings are meaningful. */
  nowMs(): number
  stop(): void
}

/**
 * A monotonic clock for limits on waiting: it advances only while the event loop runs. Such a limit should not depend
 * on delays of the whole process, such as other processes on the machine or the half second of a garbage collection
 * after many tests.
 */
export function startLoopClock(): LoopClock {
  let lastMs = performance.now()
  let countedMs = 0
  const nowMs = () => {
    const ms = performance.now()
    countedMs += Math.min(ms - lastMs, maxBeatMs)
    lastMs = ms
    return countedMs
  }
  const beat = setInterval(nowMs, beatMs)
  return { nowMs, stop: () => clearInterval(beat) }
}
