import { ingest } from '../../../services/indexer/jobs/ingest.js'
import { syncIndex } from '../../../services/indexer/jobs/sync-index.js'
import type { Job, JobResult } from '../../../services/indexer/runner/job.js'
import { openStores } from '../../../shared/adapters/open.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { readSharedConfig } from '../../../shared/runtime/config.js'
import { runOnce } from '../../support/run-once.js'
import { silentLog } from '../../support/test-log.js'

/** A catalog of either mode, opened in this process as a command opens it. */
export interface OpenedCatalog extends Stores {
  /** Does one run of a job. Where a process that was killed still has its lock, the end of that is waited for. */
  run(job: Job): Promise<JobResult>
  /** Does one run of each job that brings what was written into the index. Returns the counts of both. */
  sync(): Promise<JobResult>
}

/** Does one run of each job that brings what was written into the index; see `OpenedCatalog`. */
async function syncBy(run: OpenedCatalog['run'], { ingest: documents }: Pick<Stores, 'ingest'>): Promise<JobResult> {
  const ingested = documents === null ? {} : await run(ingest)
  const synced = await run(syncIndex)
  return { ...synced, rejected: Number(ingested['rejected'] ?? 0) + Number(synced['rejected'] ?? 0) }
}

/** Opens a catalog, which is the caller's to close. */
export async function openCatalog(env: Record<string, string>): Promise<OpenedCatalog> {
  const options = { threads: false, writes: true, startTimeoutMs: 30_000, log: silentLog() }
  const stores = await openStores(readSharedConfig(env), options)
  const run = (job: Job) => runOnce(job, stores, { lockTimeoutMs: 60_000 })
  return { ...stores, run, sync: () => syncBy(run, stores) }
}

/**
 * Opens a catalog, does something with it, and closes it.
 *
 * @param env names the catalog
 */
export async function withCatalog<T>(
  env: Record<string, string>,
  work: (catalog: OpenedCatalog) => Promise<T>,
): Promise<T> {
  const catalog = await openCatalog(env)
  try {
    return await work(catalog)
  } finally {
    await catalog.close()
  }
}
