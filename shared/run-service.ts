import { AppError } from './errors.js'
import { createLog, type Logger } from './log.js'
import { endSignal, type ShutdownStep, shutDown } from './shutdown.js'

/** Everything has closed by then, or the process ends all the same. */
const shutdownDeadlineMs = 10_000

/** Exit status when it could not start: the message says what to do. */
const notStarted = 2

export interface ServiceStart {
  log: Logger
  /** Takes what must be closed, in the order of opening; closed backwards, also when the start throws half-way. */
  closing: ShutdownStep[]
  /** Aborted when the process is asked to end while it starts. */
  signal: AbortSignal
}

/**
 * The life of a service's process: starts it, tells the operator, and closes everything in order when it is asked to
 * end. Ends the process: 0 after a signal, 2 when it could not start, 1 when a fault of ours ended it.
 *
 * @param readConfig reads what the service is told from outside
 * @param start brings it up; returns what to tell the operator
 */
export function runService<Config extends { shared: { logLevel: string } }>(
  readConfig: () => Config,
  start: (config: Config, given: ServiceStart) => Promise<string>,
): void {
  live(readConfig, start).then(
    (status) => process.exit(status),
    (error: unknown) => {
      if (!(error instanceof AppError)) {
        throw error
      }
      process.stderr.write(`${error.message}\n`)
      process.exit(notStarted)
    },
  )
}

async function live<Config extends { shared: { logLevel: string } }>(
  readConfig: () => Config,
  start: (config: Config, given: ServiceStart) => Promise<string>,
): Promise<number> {
  const config = readConfig()
  const log = createLog(config.shared.logLevel)
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error) => {
      // What state the process is in is anybody's guess: a new one starts from what has been stored.
      log.fatal({ err: error, fault }, 'ended by a fault of ours')
      process.exit(1)
    })
  }
  const closing: ShutdownStep[] = []
  const stop = new AbortController()
  const asked = endSignal().then((signal) => {
    log.info({ signal }, 'closing')
    stop.abort(new Error(`asked to end by ${signal}`))
  })
  try {
    process.stdout.write(await start(config, { log, closing, signal: stop.signal }))
    await asked
  } catch (error) {
    if (!stop.signal.aborted) {
      throw error
    }
  } finally {
    await shutDown(closing.reverse(), log, shutdownDeadlineMs)
  }
  return 0
}
