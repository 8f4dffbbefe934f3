import type { Readable } from 'node:stream'
import type { OpenOptions, Stores } from '../../../shared/adapters/stores.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { ServersConfig } from '../../../shared/runtime/config.js'
import type { Misspelled } from '../../../shared/runtime/env.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { printable } from '../../../shared/text/clean-text.js'
import type { TextMode } from '../../../shared/text/skill-text.js'
import type { ManifestSigner } from '../signing/minisign.js'
import type { StatusSource } from '../status/read-status.js'
import { type OutputStream, screenOf } from './output/screen.js'

/** A command's exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done. */
export type ExitStatus = 0 | 1 | 2

/** The dependencies and configuration of every command. */
export interface CommandLine extends StatusSource {
  stdin: Readable
  stdout: OutputStream
  stderr: OutputStream
  log: Logger
  /** Stops a command between two steps; its reason is an AppError for the operator. */
  signal: AbortSignal
  /** See `IndexerConfig`. */
  changesKeptDays: number
  /** See `SharedConfig`. */
  textMode: TextMode
  /** See `IndexerConfig`. */
  skillField: string | null
  /** See `SharedConfig`; null: none. */
  urlTemplate: string | null
  /** See `IndexerConfig`. */
  signer: ManifestSigner | null
  /**
   * The address of the service that runs on the data folder; without one, `HOST` and `PORT` of the configured query service
   * as an address on this machine. Null: `PORT` is 0, any free one.
   */
  findServiceUrl(): Promise<string | null>
  /** The configured servers; null in the embedded mode. */
  servers: ServersConfig | null
  /** Reads the settings of services and commands. @throws AppError `bad_configuration` that lists every bad one */
  checkConfig(): void
  /** Variables that were probably meant as settings. */
  misspelled: Misspelled[]
  /**
   * Opens the stores, and closes them after `work`.
   *
   * @param options.creates default false
   * @throws AppError when they cannot be opened, `no_catalog` among others
   */
  withStores<T>(
    options: Pick<OpenOptions, 'creates' | 'withoutIndex'>,
    work: (stores: Stores) => Promise<T>,
  ): Promise<T>
  /** The same to read only, in this thread: nothing is created or changed. @throws AppError `no_catalog` */
  withReader<T>(work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same with another data folder, which gets an empty catalog where it has none. */
  withFolder<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T>
  /** The same as `withStores` with the records only, which works while the index is unavailable. */
  withCatalog<T>(work: (catalog: Catalog) => Promise<T>): Promise<T>
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
