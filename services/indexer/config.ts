import { onOff, readEnv, wholeNumber } from '../../shared/env.js'

/** What the indexer is told from outside. */
export interface IndexerConfig {
  /** `SAMPLE_CATALOG`, default on: load the small sample when the catalog is empty. */
  sampleCatalog: boolean
  /** `CHANGES_KEPT_DAYS`, default 90: for how long removals are told to those who follow the changes. */
  changesKeptDays: number
  /**
   * How often jobs run, by name, where that is set: `SYNC_EVERY_SECONDS` (default 2; also how often changes are
   * logged), `STATS_EVERY_SECONDS` (300), `EXPORT_EVERY_SECONDS` (3,600), `VERIFY_EVERY_SECONDS` (86,400; index and
   * change log).
   */
  everySeconds: { [jobName: string]: number | undefined }
}

const interval = wholeNumber(1, 31_536_000).optional()

/** @throws AppError `bad_configuration` whose message lists every bad variable */
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
      'sync-skills': read.SYNC_EVERY_SECONDS,
      'log-changes': read.SYNC_EVERY_SECONDS,
      'compute-stats': read.STATS_EVERY_SECONDS,
      'write-exports': read.EXPORT_EVERY_SECONDS,
      'verify-index': read.VERIFY_EVERY_SECONDS,
      'verify-changes': read.VERIFY_EVERY_SECONDS,
    },
  }
}
