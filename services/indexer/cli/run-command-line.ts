import { findService, openCatalog, openRemoteJobs, openStores, pingLimits } from '../../../shared/adapters/open.js'
import type { OpenOptions, Stores } from '../../../shared/adapters/stores.js'
import type { RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import type { SharedConfig } from '../../../shared/runtime/config.js'
import { misspelledSettings, misspelledText } from '../../../shared/runtime/env.js'
import { createLog } from '../../../shared/runtime/log.js'
import { readIndexerConfig } from '../config.js'
import { schedules } from '../jobs.js'
import { type CommandLine, type ExitStatus, reportProblem } from './command-line.js'
import { type CommandGroups, runProgram } from './program.js'
import { checkConfig, localUrl, readCommandConfig, readServiceUrl } from './run-in-process.js'

/** The streams of a command, and the signal that asks it to stop. */
export type CommandIo = Pick<CommandLine, 'stdin' | 'stdout' | 'stderr' | 'signal'>

/**
 * Runs a command on the catalog that the environment configures.
 *
 * @param args without the names of program and script
 * @param groups every command, in the order of the help
 */
export const runCommandLine = (
  args: string[],
  io: CommandIo,
  env: NodeJS.ProcessEnv,
  groups: CommandGroups,
): Promise<ExitStatus> => {
  for (const misspelled of misspelledSettings(env)) {
    reportProblem(io.stderr, misspelledText(misspelled))
  }
  return runProgram(args, openCommandLine(io, env), groups)
}

/** Nothing is read or opened before a command needs it: help, for instance, needs no valid configuration. */
function openCommandLine(io: CommandIo, env: NodeJS.ProcessEnv): CommandLine {
  const configured = once(() => readConfigured(env))
  const withStoresOf = async <T>(
    storesConfig: SharedConfig,
    work: (stores: Stores) => Promise<T>,
    options: Partial<OpenOptions> = {},
  ): Promise<T> => {
    const stores = await openStores(storesConfig, { ...configured().openOptions, ...options })
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  return {
    ...io,
    clock: () => new Date(),
    get log() {
      return configured().openOptions.log
    },
    get dataDir() {
      const { config } = configured()
      return config.mode === 'embedded' ? config.dataDir : null
    },
    get changesKeptDays() {
      return configured().indexer.changesKeptDays
    },
    get skillField() {
      return configured().indexer.skillField ?? null
    },
    get urlTemplate() {
      return configured().config.urlTemplate ?? null
    },
    get textMode() {
      return configured().config.skillText
    },
    get signer() {
      return configured().indexer.signer ?? null
    },
    get schedules() {
      return configured().jobSchedules
    },
    async findServiceUrl() {
      const { config } = configured()
      const running = config.mode === 'embedded' ? await findService(config.dataDir) : null
      return running?.url ? localUrl(running.url) : readServiceUrl(env)
    },
    get servers() {
      const { config } = configured()
      return config.mode === 'servers' ? config : null
    },
    checkConfig: () => checkConfig(env),
    misspelled: misspelledSettings(env),
    get pingLimits() {
      const { config } = configured()
      return config.mode === 'servers' ? () => pingLimits(config) : null
    },
    async withCatalog(work) {
      const options = { ...configured().openOptions, threads: false, creates: false }
      const opened = await openCatalog(configured().config, options)
      try {
        return await work(opened.catalog)
      } finally {
        await opened.close()
      }
    },
    withStores: (options, work) => withStoresOf(configured().config, work, { creates: false, ...options }),
    withReader: (work) => withStoresOf(configured().config, work, { threads: false, writes: false }),
    withFolder: (dataDir, work) => {
      const { logLevel, embedder, skillText } = configured().config
      return withStoresOf({ mode: 'embedded', dataDir, logLevel, embedder, skillText }, work)
    },
    get withIndexers() {
      const { config, jobSchedules, openOptions } = configured()
      if (config.mode === 'embedded') {
        return null
      }
      return async <T>(work: (jobs: RemoteJobs) => Promise<T>) => {
        const jobs = await openRemoteJobs(config, jobSchedules, openOptions.log)
        try {
          return await work(jobs)
        } finally {
          await jobs.stop(0)
        }
      }
    },
  }
}

/** @throws AppError `bad_configuration` */
function readConfigured(env: NodeJS.ProcessEnv) {
  const config = readCommandConfig(env)
  const indexer = readIndexerConfig(env)
  const log = createLog(config.logLevel)
  const openOptions = { threads: 'command' as const, writes: true, startTimeoutMs: 0, log }
  return { config, indexer, openOptions, jobSchedules: schedules(config.mode, indexer) }
}

/** A function that computes its result at the first call, and returns it at all others. */
function once<T>(compute: () => T): () => T {
  let computed: { value: T } | null = null
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}
