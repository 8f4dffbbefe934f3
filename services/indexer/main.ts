import { openScheduler, openStores } from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/config.js'
import { readGroups } from '../../shared/env.js'
import { type OperationsConfig, openOperations, readOperationsConfig } from '../../shared/operations.js'
import { ReadinessCheck } from '../../shared/readiness.js'
import { runService, type ServiceStart } from '../../shared/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { type IndexerConfig, readIndexerConfig } from './config.js'
import { followChanges } from './follow-changes.js'
import { rebuildIndex } from './jobs/rebuild-index.js'
import { jobs, schedules } from './jobs.js'
import { JobMetrics } from './metrics.js'
import { type EndedRun, scheduledRun } from './run-job.js'

/** For how long jobs under way may take to come to a point where they can stop. */
const jobGraceMs = 8_000

// The indexer on servers: what `npm run start:indexer` runs. Any number of them may run.
runService(
  () => readGroups({ shared: readServersConfig, indexer: readIndexerConfig, operations: readOperationsConfig }),
  start,
)

async function start(
  config: { shared: ServersConfig; indexer: IndexerConfig; operations: OperationsConfig },
  { log, closing, signal }: ServiceStart,
): Promise<string> {
  const { shared, indexer } = config
  const operations = await openOperations(config.operations)
  closing.push({ name: 'operations', close: () => operations.close() })
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
  const clock = () => new Date()
  const names = jobs.map(({ name }) => name)
  const metrics = new JobMetrics({ registry: operations.metrics, jobs: names, catalog, index, scheduler, clock })
  const onEnd = (run: EndedRun) => metrics.ended(run)
  const deps = { catalog, index, exports, changes, changesKeptDays, log, clock, onEnd }
  const run = scheduledRun(jobs, deps, (name) => scheduler.trigger(name))
  await scheduler.start(table, run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  closing.push({ name: 'changes', close: followChanges(catalog, scheduler) })
  operations.watch(
    new ReadinessCheck({
      catalog: () => catalog.readState(stateKeys.stats),
      search: () => index.status(),
      exports: () => exports.snapshots(),
      jobs: () => scheduler.status(),
    }),
  )
  if ((await catalog.readState(stateKeys.rebuild)) !== null) {
    // Interrupted in an earlier process, perhaps by its end: what it has built already is worth completing.
    void scheduler.trigger(rebuildIndex.name).catch(() => undefined)
  }
  log.info({ jobs: table, metrics: operations.url }, 'service started')
  return 'The indexer runs. npm run catalog -- jobs shows what it does.\nCtrl-C ends it.\n'
}
