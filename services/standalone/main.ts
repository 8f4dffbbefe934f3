import { AppError } from '../../shared/errors.js'
import { createLog } from '../../shared/log.js'
import { endSignal, type ShutdownStep, shutDown } from '../../shared/shutdown.js'
import { readStandaloneConfig } from './config.js'
import { start } from './start.js'

/** Everything has closed by then, or the process ends all the same. */
const shutdownDeadlineMs = 10_000

/** Exit status when it could not start: the message says what to do. */
const notStarted = 2

/** Both services in one process: what `npm start` runs. */
async function main(): Promise<number> {
  const config = readStandaloneConfig()
  const log = createLog(config.shared.logLevel)
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error) => {
      // What state the process is in is anybody's guess: a new one starts from what is on the disk.
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
    process.stdout.write(await start(config, log, closing, stop.signal))
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

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    if (!(error instanceof AppError)) {
      throw error
    }
    process.stderr.write(`${error.message}\n`)
    process.exit(notStarted)
  },
)
