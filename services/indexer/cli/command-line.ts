import type { Readable, Writable } from 'node:stream'
import type { Stores } from '../../../shared/adapters/open.js'
import type { Logger } from '../../../shared/log.js'
import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import type { JobSchedule, RemoteJobs } from '../../../shared/ports/job-scheduler.js'

/** How a command ended: 0 done; 1 done, but with something rejected, left out or different; 2 not done. */
export type ExitStatus = 0 | 1 | 2

/** What every command is given. */
export interface CommandLine {
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  log: Logger
  clock: () => Date
  /** Asks a command to stop between two steps; its reason is an AppError for the operator. */
  signal: AbortSignal
  /** The data folder, as configured; null: the catalog is on servers. */
  dataDir: string | null
  /** For how long removals are told to those who follow the changes, as configured. */
  changesKeptDays: number
  /** How often each job runs by itself, as configured. */
  schedules: JobSchedule[]
  /** Opens the stores for as long as `work` takes. @throws AppError when they cannot be opened */
  withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same of the catalog in another data folder, which is made when it is not there. */
  withFolder<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same of the records alone, which works when the index is away. */
  withCatalog<T>(work: (catalog: CatalogStore) => Promise<T>): Promise<T>
  /** Asks the indexers for as long as `work` takes; null: there are none apart from this process. */
  withIndexers: (<T>(work: (jobs: RemoteJobs) => Promise<T>) => Promise<T>) | null
}

/** What a command has done. */
export interface Outcome {
  status: ExitStatus
  /** For machines: counts and the like. The command's name, status and duration are added. */
  result: Record<string, unknown>
  /** For people: what was done, in whole lines. */
  text: string
  /** What an operator has to know although the command has done all it could: to standard error. */
  complaint?: string
}

/** The options that every command has. */
export interface CommonOptions {
  json?: true
}
