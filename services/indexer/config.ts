import { onOff, readEnv, wholeNumber } from '../../shared/runtime/env.js'

/** The indexer's configuration. */
export interface IndexerConfig {
  /** `SAMPLE_CATALOG`, default on: load the small sample when the catalog is empty. */
  sampleCatalog: boolean
  /** `CHANGES_KEPT_DAYS`, default 90: for how long removals stay in the change log. */
  changesKeptDays: number
  /**
   * How often jobs run, by name, where that is set: `SYNC_EVERY_SECONDS` (default 2; how often an indexer on servers
   * looks for changes), `STATS_EVERY_SECONDS` (300), `EXPORT_EVERY_SECONDS` (3,600), `VERIFY_EVERY_SECONDS` (86,400).
   */
  everySeconds: { [jobName: string]: number | undefined }
}

const interval = wholeNumber(1, 31_536_000).optional()

/** @throws AppError `bad_configuration`; its message lists every invalid variable */
export function readIndexerConfig(env: NodeJS.ProcessEnv = process.env): IndexerConfig {
  const read = readEnv(
    {
      SAMPLE_CATALOG: onOff.default(true),
      CHANGES_KEPT_DAYS: wholeNumber(1, 36_500).default(90),
      SYNC_EVERY_SECONDS: interval,
      STATS_EVERY_SECONDS: interval,
      EXPORT_EVERY_SECONDS: interval,
      VERIFY_EVERY_SECONDS: interval,
    },
    env,
  )
  return {
    sampleCatalog: read.SAMPLE_CATALOG,
    changesKeptDays: read.CHANGES_KEPT_DAYS,
    everySeconds: {
      ingest: read.SYNC_EVERY_SECONDS,
      'compute-stats': read.STATS_EVERY_SECONDS,
      'write-exports': read.EXPORT_EVERY_SECONDS,
      reconcile: read.VERIFY_EVERY_SECONDS,
    },
  }
}
