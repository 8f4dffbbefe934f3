import { setTimeout } from 'node:timers/promises'

/** Longer than nearly every call of a thread. */
const waitMs = 1_000

const running = new Set<Promise<unknown>>()
let isEnding = false

/**
 * Calls a thread. When the process ends, it waits for the call; a call after that never settles.
 *
 * @param call starts the call
 */
export function callThread<Result>(call: () => Promise<Result>): Promise<Result> {
  if (isEnding) {
    return new Promise(() => undefined)
  }
  const result = call()
  running.add(result)
  return result.finally(() => running.delete(result))
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
    void Promise.race([Promise.allSettled(running), setTimeout(waitMs)]).then(() => process.exit(status))
  }
}
