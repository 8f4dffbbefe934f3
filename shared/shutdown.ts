import { constants } from 'node:os'
import type { Logger } from './log.js'

/** One thing to close, and how. */
export interface ShutdownStep {
  name: string
  close(): Promise<void>
}

/**
 * Closes things in order, each step after the one before it. A step that fails is logged and does not keep the next
 * from running. Past the deadline the process ends anyway.
 *
 * @param deadlineMs for all steps together
 */
export async function shutDown(steps: ShutdownStep[], log: Logger, deadlineMs: number): Promise<void> {
  const forced = setTimeout(() => {
    log.error({ deadlineMs }, 'not everything closed in time: ending now')
    process.exit(1)
  }, deadlineMs)
  forced.unref()
  for (const { name, close } of steps) {
    try {
      await close()
    } catch (error) {
      log.error({ step: name, err: error }, 'could not be closed')
    }
  }
  clearTimeout(forced)
}

/** npm passes on what the terminal has sent to its child as well: this soon after the first, it is the same signal. */
const echoMs = 500

/** Resolves with the name of the first signal that asks this process to end. One more after that ends it at once. */
export const endSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let askedAtMs: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (askedAtMs !== null && performance.now() - askedAtMs > echoMs) {
          process.exit(128 + constants.signals[signal])
        }
        askedAtMs ??= performance.now()
        resolve(signal)
      })
    }
  })
