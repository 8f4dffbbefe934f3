import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { onOff, readEnv, wholeNumber } from '../../shared/runtime/env.js'
import { fileFault } from '../../shared/runtime/errors.js'
import { type ManifestSigner, readSigner } from './signing/minisign.js'

/** The indexer's configuration. */
export interface IndexerConfig {
  /** `SAMPLE_CATALOG`, default on: a new catalog in a folder gets the small sample. */
  sampleCatalog: boolean
  /** `SKILL_FIELD`: the field of records that distinguishes the skills of one repository; absent: the usual ones. */
  skillField?: string
  /** `CHANGES_KEPT_DAYS`, default 90: for how long removals stay in the change log. */
  changesKeptDays: number
  /** `SIGNING_KEY_FILE`: a secret key of minisign, by which the manifests of snapshots are signed; absent: they are not. */
  signer?: ManifestSigner
  /**
   * How often jobs run, by name, where that is set: `SYNC_EVERY_SECONDS` (how often an indexer on servers looks for
   * changes; default: see `followDocuments`), `STATS_EVERY_SECONDS` (300), `EXPORT_EVERY_SECONDS` (3,600),
   * `DATASET_EVERY_SECONDS` (86,400), `VERIFY_EVERY_SECONDS` (86,400).
   */
  everySeconds: { [jobName: string]: number | undefined }
}

const interval = wholeNumber(1, 31_536_000).optional()

const signingKeyFile = z.string().transform((path, context): ManifestSigner => {
  try {
    return readSigner(readFileSync(path, 'utf8'))
  } catch (error) {
    context.addIssue(`must name a secret key file that minisign -G -W has made: ${fileFault(error)}`)
    return z.NEVER
  }
})

/** @throws AppError `bad_configuration`; its message lists every invalid variable */
export function readIndexerConfig(env: NodeJS.ProcessEnv = process.env): IndexerConfig {
  const read = readEnv(
    {
      SAMPLE_CATALOG: onOff.default(true),
      SKILL_FIELD: z.string().optional(),
      CHANGES_KEPT_DAYS: wholeNumber(1, 36_500).default(90),
      SYNC_EVERY_SECONDS: interval,
      STATS_EVERY_SECONDS: interval,
      SIGNING_KEY_FILE: signingKeyFile.optional(),
      EXPORT_EVERY_SECONDS: interval,
      DATASET_EVERY_SECONDS: interval,
      VERIFY_EVERY_SECONDS: interval,
    },
    env,
  )
  return {
    sampleCatalog: read.SAMPLE_CATALOG,
    ...(read.SKILL_FIELD === undefined ? {} : { skillField: read.SKILL_FIELD }),
    changesKeptDays: read.CHANGES_KEPT_DAYS,
    ...(read.SIGNING_KEY_FILE === undefined ? {} : { signer: read.SIGNING_KEY_FILE }),
    everySeconds: {
      ingest: read.SYNC_EVERY_SECONDS,
      'compute-stats': read.STATS_EVERY_SECONDS,
      'write-exports': read.EXPORT_EVERY_SECONDS,
      'write-dataset': read.DATASET_EVERY_SECONDS,
      reconcile: read.VERIFY_EVERY_SECONDS,
    },
  }
}
