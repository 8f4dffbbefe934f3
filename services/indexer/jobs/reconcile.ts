import type { DocumentIngest } from '../../../shared/ports/document-ingest.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { withLock } from '../../../shared/ports/locks.js'
import { readSyncPosition } from '../../../shared/state-keys.js'
import { applyIds, changesPerBatch } from '../indexing/apply-skills.js'
import { compareIndex, type IndexDifference, pagesOf } from '../indexing/compare-index.js'
import { atEachReplica } from '../indexing/replicas.js'
import { type IndexContext, isPaused, type Job, type JobContext } from '../runner/job.js'
import { ingest } from './ingest.js'
import { rebuildIndex } from './rebuild-index.js'
import { syncIndex } from './sync-index.js'

const dayMs = 86_400_000

/** The maximum wait for a run of another job. */
const lockTimeoutMs = 120_000

/**
 * Compares documents with the catalog, and its change log with the search index; reports and repairs every difference. Then
 * drops old removals from the log.
 */
export const reconcile: Job = {
  name: 'reconcile',
  summary: 'compare catalog, change log and search index, and repair every difference',
  everySeconds: 86_400,

  async run(context) {
    const counts: Differences = { missing: 0, extra: 0, different: 0, repaired: 0 }
    if (context.ingest !== null) {
      await reconcileDocuments(context, context.ingest, counts)
    }
    const compared = await atEachReplica(context, async (own) => ({ compared: await reconcileIndex(own, counts) }))
    const rejected = await reportRejected(context)
    const dropped = await context.changes.prune(new Date(context.clock().getTime() - context.changesKeptDays * dayMs))
    return { ...compared, ...counts, rejected, dropped }
  },
}

/** Longer than any request to the search index can take, with all its retries. */
const lateWriteSeconds = 120

/**
 * Schedules a run after the takeover of a lock that its holder did not release: that holder's requests to the search
 * index may still arrive, and overwrite newer content.
 *
 * @param lockName of the lock; only holders of some locks write to the index
 * @param seconds until no such request can arrive any more
 */
export async function reconcileLateWrites(
  scheduler: Pick<JobScheduler, 'request'>,
  lockName: string,
  seconds = lateWriteSeconds,
): Promise<void> {
  if ([syncIndex.name, rebuildIndex.name].includes(lockName)) {
    // Where the queue does not answer, the daily run repairs what arrived late.
    await scheduler.request(reconcile.name, seconds).catch(() => undefined)
  }
}

interface Differences {
  missing: number
  extra: number
  different: number
  repaired: number
}

/** @param address of the server that has it */
function noteDifference(
  { report }: JobContext,
  counts: Differences,
  { id, kind }: IndexDifference,
  address: string | null = null,
): void {
  counts[kind] += 1
  report({ id, kind, reason: address })
}

/** Compares all documents with the catalog. What was written a moment ago is read first: it is no difference. */
async function reconcileDocuments(context: JobContext, documents: DocumentIngest, counts: Differences): Promise<void> {
  const comparison = documents.compare()
  try {
    for (let isOver = false; !isOver; ) {
      context.signal.throwIfAborted()
      const found = await underLock(context, ingest, async (own) => {
        await ingest.run(own)
        return comparison.step(own.lock)
      })
      isOver = found === null
      for (const { id, contentHash, isNew } of found?.logged ?? []) {
        counts.repaired += 1
        noteDifference(context, counts, { id, kind: contentHash === null ? 'extra' : isNew ? 'missing' : 'different' })
      }
    }
  } finally {
    await comparison.close()
  }
}

/** Repairs the index where it differs from the log. @returns the number of compared ids */
async function reconcileIndex(context: IndexContext, counts: Differences): Promise<number> {
  if (!(await isPaused(context.catalog, syncIndex.name))) {
    await underLock(context, syncIndex, (own) => syncIndex.run(own))
  }
  const position = (await readSyncPosition(context.catalog, context.index)) ?? 0
  return compareIndex(context, 'live', position, async (differences) => {
    const ids = differences.map(({ id }) => id)
    const refused = new Set<string>()
    const { published, removed } = await underLock(context, syncIndex, (own) =>
      applyIds({ ...own, report: ({ id }) => refused.add(id) }, ids, 'live'),
    )
    counts.repaired += published + removed
    for (const difference of differences.filter(({ id }) => !refused.has(id))) {
      noteDifference(context, counts, difference, context.index.address)
    }
  })
}

/** Reports the dead letters, and drops those of deleted documents. @returns their number */
async function reportRejected(context: JobContext): Promise<number> {
  const { catalog, ingest: documents, signal, report } = context
  const letters = () => pagesOf((afterId) => catalog.listDeadLetters(afterId, changesPerBatch), signal)
  if (documents !== null) {
    for await (const page of letters()) {
      const ids = page.map(({ id }) => id)
      await underLock(context, ingest, (own) => documents.ingestLetters(ids, own.lock))
    }
  }
  let rejected = 0
  for await (const page of letters()) {
    rejected += page.length
    for (const { id, reason } of page) {
      report({ kind: 'rejected', id, reason })
    }
  }
  return rejected
}

/** Does work under the lock of another job, so that it does not run meanwhile. */
const underLock = <C extends JobContext, T>(context: C, job: Job, work: (context: C) => Promise<T>): Promise<T> =>
  withLock(context, job.name, lockTimeoutMs, (lock) => work({ ...context, lock, progress: { add: () => undefined } }))
