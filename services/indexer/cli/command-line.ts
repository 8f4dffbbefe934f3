import type { Readable, Writable } from 'node:stream'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { JobSchedule, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import type { Logger } from '../../../shared/runtime/log.js'
import type { ManifestSigner } from '../signing/minisign.js'

/** A command's exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done. */
export type ExitStatus = 0 | 1 | 2

/** The dependencies and configuration of every command. */
export interface CommandLine {
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  log: Logger
  clock: () => Date
  /** Stops a command between two steps; its reason is an AppError for the operator. */
  signal: AbortSignal
  /** The configured data folder; null in the servers mode. */
  dataDir: string | null
  /** See `IndexerConfig`. */
  changesKeptDays: number
  /** See `IndexerConfig`. */
  signer: ManifestSigner | null
  /** The configured interval of each job. */
  schedules: JobSchedule[]
  /** Opens the stores, and closes them after `work`. @throws AppError when they cannot be opened */
  withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same with another data folder, which is created if it does not exist. */
  withFolder<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same with the records only, which works while the index is unavailable. */
  withCatalog<T>(work: (catalog: Catalog) => Promise<T>): Promise<T>
  /** Connects to the indexers, and disconnects after `work`; null in the embedded mode. */
  withIndexers: (<T>(work: (jobs: RemoteJobs) => Promise<T>) => Promise<T>) | null
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
