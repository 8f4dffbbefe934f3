import type { Readable } from 'node:stream'
import { openCatalog, openRemoteJobs, openStores, pingLimits } from '../../../shared/adapters/open.js'
import type { OpenOptions, Stores } from '../../../shared/adapters/stores.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import { readSharedConfig, type SharedConfig } from '../../../shared/runtime/config.js'
import { createLog } from '../../../shared/runtime/log.js'
import { printable } from '../../../shared/text/clean-text.js'
import { readIndexerConfig } from '../config.js'
import { schedules } from '../jobs.js'
import { type OutputStream, screenOf } from './output/screen.js'

/** A command's exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done. */
export type ExitStatus = 0 | 1 | 2

/** The surroundings of a command. */
export interface CommandIo {
  stdin: Readable
  stdout: OutputStream
  stderr: OutputStream
  /** Stops a command between two steps; its reason is an AppError for the operator. */
  signal: AbortSignal
  /** The environment variables. */
  env: NodeJS.ProcessEnv
}

/** The dependencies and configuration of every command. */
export type CommandLine = ReturnType<typeof openCommandLine>

/**
 * Nothing is read or opened before a command needs it: help, for instance, needs no valid configuration. With another one,
 * each getter throws the AppError `bad_configuration`, as do the methods that open stores.
 */
export function openCommandLine(io: CommandIo) {
  let read: ReturnType<typeof readConfigured> | null = null
  const configured = () => {
    read ??= readConfigured(io.env)
    return read
  }
  const withStoresOf = async <T>(
    config: SharedConfig,
    work: (stores: Stores) => Promise<T>,
    options: Partial<OpenOptions> = {},
  ): Promise<T> => {
    const stores = await openStores(config, { ...openOptions, log: configured().log, ...options })
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  return {
    ...io,
    clock: () => new Date(),
    /** Where the catalog is, and what else services and commands share. */
    get config() {
      return configured().config
    },
    get indexer() {
      return configured().indexer
    },
    get log() {
      return configured().log
    },
    get dataDir() {
      const { config } = configured()
      return config.mode === 'embedded' ? config.dataDir : null
    },
    get schedules() {
      const { config, indexer } = configured()
      return schedules(config.mode, indexer)
    },
    get pingLimits() {
      const { config } = configured()
      return config.mode === 'servers' ? () => pingLimits(config) : null
    },
    get withIndexers() {
      const { config, log } = configured()
      if (config.mode === 'embedded') {
        return null
      }
      return async <T>(work: (jobs: RemoteJobs) => Promise<T>): Promise<T> => {
        const jobs = await openRemoteJobs(config, this.schedules, log)
        try {
          return await work(jobs)
        } finally {
          await jobs.stop(0)
        }
      }
    },
    /**
     * Opens the stores, and closes them after `work`.
     *
     * @param options.creates default false
     * @throws AppError when they cannot be opened, `no_catalog` among others
     */
    withStores: <T>(
      options: Pick<OpenOptions, 'creates' | 'withoutIndex'>,
      work: (stores: Stores) => Promise<T>,
    ): Promise<T> => withStoresOf(configured().config, work, { creates: false, ...options }),
    /** The same to read only, in this thread: nothing is created or changed. @throws AppError `no_catalog` */
    withReader: <T>(work: (stores: Stores) => Promise<T>): Promise<T> =>
      withStoresOf(configured().config, work, { threads: false, writes: false }),
    /** The same with another data folder, which gets an empty catalog where it has none. */
    withFolder: <T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> => {
      const { logLevel, embedder, skillText } = configured().config
      return withStoresOf({ mode: 'embedded', dataDir, logLevel, embedder, skillText }, work)
    },
    /** The same as `withStores` with the records only, which works while the index is unavailable. */
    async withCatalog<T>(work: (catalog: Catalog) => Promise<T>): Promise<T> {
      const { config, log } = configured()
      const opened = await openCatalog(config, { ...openOptions, log, threads: false, creates: false })
      try {
        return await work(opened.catalog)
      } finally {
        await opened.close()
      }
    },
  }
}

const openOptions = { threads: 'command', writes: true, startTimeoutMs: 0 } as const

/** A command logs nothing unless `LOG_LEVEL` is set: it prints its result and errors for its user. */
function readConfigured(env: NodeJS.ProcessEnv) {
  const config = readSharedConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'silent' })
  return { config, indexer: readIndexerConfig(env), log: createLog(config.logLevel) }
}

/** A command's result. */
export interface Outcome {
  status: ExitStatus
  /** Printed with --json, together with the command's name, status and duration. */
  result: Record<string, unknown>
  /** Printed without --json; whole lines. */
  text: string
  /** Printed to standard error, with or without --json. */
  warning?: string
}

/** The options of every command. */
export interface CommonOptions {
  json?: true
}

/** Prints a message about an error or a warning; on a terminal it is wrapped, and red. */
export function reportProblem(stderr: OutputStream, message: string): void {
  const { style, wrap } = screenOf(stderr)
  stderr.write(`${style('red', wrap(printable(message)))}\n`)
}
