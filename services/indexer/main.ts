import { openQueueBoard, openScheduler, openStores, pingLimits } from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/runtime/config.js'
import { readGroups } from '../../shared/runtime/env.js'
import {
  type OperationsConfig,
  openOperations,
  ReadinessCheck,
  readOperationsConfig,
} from '../../shared/runtime/operations.js'
import { runService, type ServiceStart } from '../../shared/runtime/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { type IndexerConfig, readIndexerConfig } from './config.js'
import { createDesk } from './desk/desk.js'
import { followDocuments } from './jobs/ingest.js'
import { resumeRebuilds } from './jobs/rebuild-index.js'
import { reconcileLateWrites } from './jobs/reconcile.js'
import { syncIndex } from './jobs/sync-index.js'
import { jobs, schedules } from './jobs.js'
import { countRuns, registerJobMetrics } from './runner/metrics.js'
import { scheduledRun } from './runner/run-job.js'

/** For how long running jobs may take to come to a point where they can stop. */
const jobGraceMs = 8_000

// The indexer of the servers mode, started by `npm run start:indexer`. Any number of them may run.
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
    // Documents are ingested meanwhile, and the index follows.
    withoutIndex: true,
    startTimeoutMs: Number.POSITIVE_INFINITY,
    log,
    signal,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const { catalog, ingest, index, exports } = stores
  const table = schedules('servers', indexer)
  const { changesKeptDays, signer = null } = indexer
  const clock = () => new Date()
  const names = jobs.servers.map(({ name }) => name)
  const onEnd = countRuns(operations.metrics)
  registerJobMetrics({
    registry: operations.metrics,
    ...stores,
    jobs: names,
    syncJob: syncIndex.name,
    scheduler,
    clock,
  })
  const onTakeover = (lockName: string) => void reconcileLateWrites(scheduler, lockName)
  const deps = { ...stores, changesKeptDays, signer, log, clock, onEnd, onTakeover }
  const run = scheduledRun(jobs.servers, deps, scheduler)
  await scheduler.start(table, run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  if (ingest !== null) {
    closing.push({
      name: 'changes',
      close: followDocuments(ingest, catalog, scheduler, log, indexer.everySeconds['ingest']),
    })
  }
  operations.watch(
    new ReadinessCheck({
      catalog: () => catalog.readState(stateKeys.stats),
      search: () => index.status(),
      exports: () => exports.snapshots(),
      jobs: () => scheduler.status(),
    }),
  )
  operations.serve((url) =>
    createDesk({
      url,
      token: config.operations.token,
      stores,
      source: {
        clock,
        dataDir: null,
        schedules: table,
        withIndexers: (work) => work(scheduler),
        pingLimits: () => pingLimits(shared),
      },
      jobs: jobs.servers,
      scheduler,
      openQueueBoard: async (path) => {
        const board = await openQueueBoard(shared, names, path)
        closing.push({ name: 'queue board', close: () => board.close() })
        return board.answer
      },
      log,
    }),
  )
  void resumeRebuilds(stores, scheduler)
  log.info({ jobs: table, metrics: operations.url }, 'service started')
  return 'The indexer is running. npm run catalog -- jobs shows its jobs.\nCtrl-C stops it.\n'
}
