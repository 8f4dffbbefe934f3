import { constants } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { endProcess } from './end-process.js'
import { misspelledSettings, misspelledText } from './env.js'
import { AppError, operatorError } from './errors.js'
import { createLog, type Logger } from './log.js'

interface ShutdownStep {
  name: string
  close(): Promise<void>
}

/**
 * Closes resources in order, one after the other. A failing step is logged, and the next one still runs. After the
 * deadline the process exits anyway.
 *
 * @param deadlineMs for all steps together
 */
async function shutDown(steps: ShutdownStep[], log: Logger, deadlineMs: number): Promise<void> {
  const forced = setTimeout(() => {
    log.error({ deadlineMs }, 'shutdown deadline reached: exiting now')
    endProcess(1)
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
const endSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let signalledAtMs: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signalledAtMs !== null && performance.now() - signalledAtMs > echoMs) {
          endProcess(128 + constants.signals[signal])
        }
        signalledAtMs ??= performance.now()
        resolve(signal)
      })
    }
  })

/**
 * How much the heap may grow, in percent of what is in use, until V8 collects garbage. By default V8 lets a small heap
 * grow to four times its size.
 */
const heapGrowingPercent = 50

/** Milliseconds for closing everything; then the process exits anyway. */
export const shutdownDeadlineMs = 10_000

/** Exit status when the start failed; the message names the remedy. */
const notStarted = 2

export interface ServiceStart {
  log: Logger
  /** The steps of the shutdown in order of opening; closed in reverse, also when the start fails half-way. */
  closing: ShutdownStep[]
  /** Aborted when the process receives a signal during the start. */
  signal: AbortSignal
}

/**
 * Runs a service's process: starts it, prints its greeting, and closes everything in order after a signal. Exit status:
 * 0 after a signal, 2 when it could not start, 1 after an unexpected error.
 *
 * @param readConfig reads the configuration
 * @param start starts the service; returns the greeting
 */
export function runService<Config extends { shared: { logLevel: string } }>(
  readConfig: () => Config,
  start: (config: Config, given: ServiceStart) => Promise<string>,
): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
  live(readConfig, start).then(endProcess, (error: unknown) => {
    if (!(error instanceof AppError)) {
      throw error
    }
    process.stderr.write(`${error.message}\n`)
    endProcess(notStarted)
  })
}

/**
 * A service that ignored what it was given would run with other settings than its operator believes.
 *
 * @throws AppError `bad_arguments`
 */
function refuseArguments(args: readonly string[]): void {
  if (args.length > 0) {
    throw operatorError(
      'bad_arguments',
      `A service takes no arguments, and was given: ${args.join(' ')}. Set environment variables instead, which ` +
        'docs/configuration.md lists; npm run catalog -- --help shows the commands.',
    )
  }
}

/** A variable that is missing may be set under another name. */
function readConfigured<Config>(readConfig: () => Config): Config {
  try {
    return readConfig()
  } catch (error) {
    for (const misspelled of misspelledSettings()) {
      process.stderr.write(`${misspelledText(misspelled)}\n`)
    }
    throw error
  }
}

async function live<Config extends { shared: { logLevel: string } }>(
  readConfig: () => Config,
  start: (config: Config, given: ServiceStart) => Promise<string>,
): Promise<number> {
  refuseArguments(process.argv.slice(2))
  const config = readConfigured(readConfig)
  const log = createLog(config.shared.logLevel)
  for (const misspelled of misspelledSettings()) {
    log.warn(misspelled, misspelledText(misspelled))
  }
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error) => {
      // The state of the process is unknown after that: a new process starts from the stored state.
      log.fatal({ err: error, fault }, 'stopped by an unexpected error')
      endProcess(1)
    })
  }
  const closing: ShutdownStep[] = []
  const stop = new AbortController()
  const ending = endSignal().then((signal) => {
    log.info({ signal }, 'closing')
    stop.abort(new Error(`received ${signal}`))
  })
  try {
    process.stdout.write(await start(config, { log, closing, signal: stop.signal }))
    await ending
  } catch (error) {
    if (!stop.signal.aborted) {
      throw error
    }
  } finally {
    await shutDown(closing.reverse(), log, shutdownDeadlineMs)
  }
  return 0
}
