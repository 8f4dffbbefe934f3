import { openScheduler, openStores } from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/config.js'
import { readGroups } from '../../shared/env.js'
import { runService, type ServiceStart } from '../../shared/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { type IndexerConfig, readIndexerConfig } from './config.js'
import { followChanges } from './follow-changes.js'
import { rebuildIndex } from './jobs/rebuild-index.js'
import { jobs, schedules } from './jobs.js'
import { scheduledRun } from './run-job.js'

/** For how long jobs under way may take to come to a point where they can stop. */
const jobGraceMs = 8_000

// The indexer on servers: what `npm run start:indexer` runs. Any number of them may run.
runService(() => readGroups({ shared: readServersConfig, indexer: readIndexerConfig }), start)

async function start(
  { shared, indexer }: { shared: ServersConfig; indexer: IndexerConfig },
  { log, closing, signal }: ServiceStart,
): Promise<string> {
  const scheduler = await openScheduler(shared, { log })
  const stores = await openStores(shared, {
    threads: true,
    writes: true,
    patienceMs: Number.POSITIVE_INFINITY,
    log,
    signal,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const { catalog, index, exports, changes } = stores
  const table = schedules(indexer)
  const { changesKeptDays } = indexer
  const deps = { catalog, index, exports, changes, changesKeptDays, log, clock: () => new Date() }
  const run = scheduledRun(jobs, deps, (name) => scheduler.trigger(name))
  await scheduler.start(table, run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  closing.push({ name: 'changes', close: followChanges(catalog, scheduler) })
  if ((await catalog.readState(stateKeys.rebuild)) !== null) {
    // Interrupted in an earlier process, perhaps by its end: what it has built already is worth completing.
    void scheduler.trigger(rebuildIndex.name).catch(() => undefined)
  }
  log.info({ jobs: table }, 'service started')
  return 'The indexer runs. npm run catalog -- jobs shows what it does.\nCtrl-C ends it.\n'
}
