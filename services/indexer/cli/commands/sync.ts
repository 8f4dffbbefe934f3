import { ingest } from '../../jobs/ingest.js'
import { syncIndex } from '../../jobs/sync-index.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { type RunOptions, runJobCommand, withLocal } from '../job-command.js'

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
