import { constants } from 'node:os'
import type { Logger } from './log.js'

/** One step of the shutdown. */
export interface ShutdownStep {
  name: string
  close(): Promise<void>
}

/**
 * Closes resources in order, one after the other. A failing step is logged, and the next one still runs. After the
 * deadline the process exits anyway.
 *
 * @param deadlineMs for all steps together
 */
export async function shutDown(steps: ShutdownStep[], log: Logger, deadlineMs: number): Promise<void> {
  const forced = setTimeout(() => {
    log.error({ deadlineMs }, 'shutdown deadline reached: exiting now')
    process.exit(1)
  }, deadlineMs)
  forced.unref()
  for (const { name, close } of steps) {
    try {
      await close()
    } catch (error) {
      log.error({ step: name, err: error }, 'shutdown step failed')
    }
  }
  clearTimeout(forced)
}

/** npm repeats a terminal's signal to its child: a second one within this time is the same signal. */
const echoMs = 500

/** Resolves with the name of the first signal. A second signal exits at once. */
export const endSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let signalledAtMs: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signalledAtMs !== null && performance.now() - signalledAtMs > echoMs) {
          process.exit(128 + constants.signals[signal])
        }
        signalledAtMs ??= performance.now()
        resolve(signal)
      })
    }
  })
