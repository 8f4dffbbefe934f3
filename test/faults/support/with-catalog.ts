import type { Job, JobResult } from '../../../services/indexer/job.js'
import { runJob } from '../../../services/indexer/run-job.js'
import { openStores, type Stores } from '../../../shared/adapters/open.js'
import { readSharedConfig } from '../../../shared/config.js'
import { silentLog } from '../../support/test-log.js'

/** A catalog of either mode, opened in this process as a command opens it. */
export interface OpenedCatalog extends Stores {
  /** Does one run of a job. Where a process that was killed still has its lock, the end of that is waited for. */
  run(job: Job): Promise<JobResult>
}

/** Opens a catalog, which is the caller's to close. */
export async function openCatalog(env: Record<string, string>): Promise<OpenedCatalog> {
  const log = silentLog()
  const stores = await openStores(readSharedConfig(env), { threads: false, writes: true, patienceMs: 30_000, log })
  const run = (job: Job) =>
    runJob(job, {
      ...stores,
      changesKeptDays: 90,
      log,
      signal: new AbortController().signal,
      clock: () => new Date(),
      lockPatienceMs: 60_000,
    })
  return { ...stores, run }
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
