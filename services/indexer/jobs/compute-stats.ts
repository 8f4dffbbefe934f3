import type { CatalogDay } from '../../../shared/records/catalog-history.js'
import type { Stats } from '../../../shared/records/stats.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { changesPerBatch } from '../indexing/replay-log.js'
import type { Job, JobContext } from '../runner/job.js'
import type { JobRecord } from '../runner/job-record.js'
import { isPaused } from '../runner/paused-jobs.js'
import { withLock } from '../runner/wait-for-lock.js'
import { divideSitemap } from './divide-sitemap.js'
import { ingest } from './ingest.js'
import { rebuildIndex } from './rebuild-index.js'
import { reconcile } from './reconcile.js'
import { recordHistory } from './record-history.js'
import { syncIndex } from './sync-index.js'
import { writeDataset } from './write-dataset.js'

/** The maximum wait for a running ingest. */
const lockTimeoutMs = 30_000

/** Computes the catalog's statistics and stores them for the query service. */
export const computeStats: Job = {
  name: 'compute-stats',
  summary: "compute the catalog's statistics",
  everySeconds: 300,

  async run(context) {
    const { catalog, exports, clock, lock } = context
    const before = context.ingest === null ? null : await logState(context)
    const computed = await catalog.computeStats()
    context.reached?.('stats-computed')
    const stats: Stats = {
      ...computed,
      freshness: {
        ...computed.freshness,
        lastSyncAt: await lastSyncAt(context),
        statsGeneratedAt: clock().toISOString(),
        exportsGeneratedAt: (await exports.snapshots())[0]?.generatedAt ?? null,
      },
    }
    await catalog.writeState(stateKeys.stats, stats, lock)
    for (const kind of ['organizations', 'topics'] as const) {
      await catalog.writeState(stateKeys.index(kind), await catalog.largestValues(kind), lock)
    }
    const extra = before === null ? 0 : await countExtra(context, before, stats.totals.skills)
    const { documents, settings } = await indexStatus(context)
    return {
      ...stats.totals,
      indexed: documents,
      ...(extra === 0 ? {} : { extra }),
      ...(settings === null || settings === context.index.settings ? {} : { indexLost: true }),
      ...((await areFirst(context, stats)) ? { firstRecords: true } : {}),
    }
  },

  followedBy: ({ extra, indexLost, firstRecords }) => [
    ...(firstRecords === true ? [writeDataset.name, recordHistory.name, divideSitemap.name] : []),
    ...(indexLost === true ? [syncIndex.name] : []),
    ...(Number(extra ?? 0) > 0 ? [reconcile.name] : []),
  ],
}

/** Whether there are records, while dataset or history were made of an empty catalog: they would stay so for a day. */
async function areFirst({ catalog, datasets }: JobContext, { totals }: Stats): Promise<boolean> {
  const countOf = ({ skills, prompts, organizations }: Stats['totals']) => skills + prompts + organizations
  if (countOf(totals) === 0) {
    return false
  }
  const [dataset] = await datasets.snapshots()
  const history = (await catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
  return (dataset?.files ?? []).every(({ count }) => count === 0) || history.every((day) => countOf(day) === 0)
}

/** The state of the change log before the skills were counted. */
interface LogState {
  head: number
  published: number
}

const logState = async ({ changes }: JobContext): Promise<LogState> => ({
  head: (await changes.bounds()).head,
  published: await changes.countPublished(),
})

/**
 * Estimates the number of published skills in the change log that the catalog no longer has: they were deleted from a
 * shared database, which leaves no document to ingest. The reconciliation finds their ids.
 *
 * Skills that were unpublished since the log was counted, or whose change is not logged yet, are in the log after the
 * next ingest. Skills that were published meanwhile make the result smaller.
 *
 * @returns a lower bound
 */
async function countExtra(context: JobContext, before: LogState, skills: number): Promise<number> {
  if (before.published <= skills || (await isPaused(context.catalog, ingest.name))) {
    return 0
  }
  const { changes } = context
  try {
    await withLock(context, ingest.name, lockTimeoutMs, (lock) => ingest.run({ ...context, lock }))
  } catch (error) {
    if (error instanceof AppError && ['job_running', 'lock_lost'].includes(error.code)) {
      return 0
    }
    throw error
  }
  const { changes: later } = await changes.after(before.head, changesPerBatch)
  const unpublished = later.filter(({ contentHash }) => contentHash === null).length
  return later.length === changesPerBatch ? 0 : Math.max(0, before.published - skills - unpublished)
}

/** Null: the index does not answer; the statistics are computed without it. */
async function indexStatus({ index }: JobContext): Promise<{ documents: number | null; settings: string | null }> {
  try {
    const { documents, settings } = await index.status()
    return { documents, settings: settings ?? 'none' }
  } catch {
    return { documents: null, settings: null }
  }
}

/** The last update of the index, by the sync or by a rebuild. */
async function lastSyncAt({ catalog }: JobContext): Promise<string | null> {
  const succeeded = await Promise.all(
    [syncIndex.name, rebuildIndex.name].map(async (name) => {
      const record = await catalog.readState<JobRecord>(stateKeys.job(name))
      return record?.lastSucceededAt ?? null
    }),
  )
  return (
    succeeded
      .filter((time) => time !== null)
      .sort()
      .at(-1) ?? null
  )
}
