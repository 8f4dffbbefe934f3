import { computeStats } from '../../jobs/compute-stats.js'
import { ingest } from '../../jobs/ingest.js'
import { rebuildIndex } from '../../jobs/rebuild-index.js'
import { reconcile } from '../../jobs/reconcile.js'
import { syncIndex } from '../../jobs/sync-index.js'
import { writeDataset } from '../../jobs/write-dataset.js'
import { writeExports } from '../../jobs/write-exports.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { jobCommand, type RunOptions, runJobCommand, withLocal } from '../job-command.js'

/** `sync`: the work that the service does by itself, once and now. */
export const sync = defineCommand<RunOptions>({
  usage: 'sync',
  summary: syncIndex.summary,
  details: [
    'The service does this by itself, all the time. On servers, documents that other applications have written are ' +
      'ingested first. Skills that cannot be indexed are listed, and the status is 1.',
  ],
  examples: ['sync', 'sync --json'],
  options: withLocal,
  run: runSync,
})

async function runSync(cli: CommandLine, options: RunOptions): Promise<Outcome> {
  const ingested = cli.dataDir === null ? await runJobCommand(ingest, cli, options, []) : null
  const synced = await runJobCommand(syncIndex, cli, options, ['published', 'documents'])
  if (ingested === null) {
    return synced
  }
  const rejected = Number(ingested.result['rejected'] ?? 0) + Number(synced.result['rejected'] ?? 0)
  return {
    status: ingested.status === 0 ? synced.status : ingested.status,
    result: { ...synced.result, rejected, ingested: ingested.result },
    text: ingested.text + synced.text,
  }
}

/** `rebuild`: builds a new index while the old one answers searches. */
export const rebuild = jobCommand(rebuildIndex, {
  usage: 'rebuild',
  details: [
    'Searches are answered from the old index until the new one replaces it. An interrupted rebuild is resumed. ' +
      'It has a low priority: a service on the same machine goes first.',
  ],
  examples: ['rebuild', 'rebuild --json'],
  rateFields: ['documents'],
})

/** `verify`: compares the search index with the catalog, and repairs it. */
export const verify = jobCommand(reconcile, {
  usage: 'verify',
  details: ['All differences are repaired, and the first 50 are listed; the exit status is 1 when there were any.'],
  examples: ['verify', 'verify --json'],
  rateFields: ['compared'],
})

/** `stats`: computes the statistics of /api/v1/stats. */
export const stats = jobCommand(computeStats, {
  usage: 'stats',
  details: ['The service runs this every STATS_EVERY_SECONDS, five minutes by default.'],
  examples: ['stats', 'stats --json'],
  rateFields: [],
})

/** `export`: writes the files of /api/v1/export. */
export const exportFiles = jobCommand(writeExports, {
  usage: 'export',
  details: ['The files of all types and formats are published in one step; running downloads complete the old files.'],
  examples: ['export', 'export --json'],
  rateFields: ['rows'],
})

/** `dataset`: writes the files with every record. */
export const dataset = jobCommand(writeDataset, {
  usage: 'dataset',
  details: [
    'Every record, not only the first 10,000 of each type. Nothing is published when no record has changed since the ' +
      'newest files.',
  ],
  examples: ['dataset', 'dataset --json'],
  rateFields: ['skills'],
})
