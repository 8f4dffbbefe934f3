import { setTimeout } from 'node:timers/promises'

/** Longer than nearly every call of a thread. */
const waitMs = 1_000

/** The calls that threads run, each with the pool of its thread. */
const running = new Map<Promise<unknown>, object>()
let isEnding = false

/**
 * Calls a thread of a pool. When the process ends, it waits for the call; a call after that never settles.
 *
 * @param call starts the call
 */
export function callThread<Result>(pool: object, call: () => Promise<Result>): Promise<Result> {
  if (isEnding) {
    return new Promise(() => undefined)
  }
  const result = call()
  running.set(result, pool)
  return result.finally(() => running.delete(result))
}

/** Resolves when no thread of a pool runs a call. */
export async function untilIdle(pool: object): Promise<void> {
  const ofPool = () => [...running].flatMap(([result, of]) => (of === pool ? [result] : []))
  for (let calls = ofPool(); calls.length > 0; calls = ofPool()) {
    await Promise.allSettled(calls)
  }
}

/**
 * Ends the process as soon as none of its threads runs a call, and after a second at the latest: a thread that is
 * terminated within a native call can crash the process, which then ends by SIGABRT instead of with its status. libsql
 * panics when its thread is terminated before it has handed over a result.
 *
 * @param status of the first call counts
 */
export function endProcess(status: number): void {
  if (!isEnding) {
    isEnding = true
    void Promise.race([Promise.allSettled(running.keys()), setTimeout(waitMs)]).then(() => process.exit(status))
  }
}
