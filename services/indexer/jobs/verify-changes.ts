import { setImmediate } from 'node:timers/promises'
import { batchSize, pauseEvery } from '../apply-changes.js'
import { changeDrafts, changeHash } from '../change-drafts.js'
import { inStep, type Pair, storedSkills } from '../compare-index.js'
import { isLogBehind } from '../is-log-behind.js'
import type { Job, JobContext } from '../job.js'
import { toSearchDocument } from '../to-search-document.js'
import { waitForLock } from '../wait-for-lock.js'
import { logChanges } from './log-changes.js'

/** For how long a run of the writer under way is waited for. */
const writerPatienceMs = 120_000

const dayMs = 86_400_000

/** How many entries of the log are read at a time. */
const listedAtOnce = 10_000

/**
 * Compares the change log with the catalog and logs what was missed: what was deleted from the catalog without a trace
 * is told as removed in this way only. Then drops the removals that are older than they are kept.
 */
export const verifyChanges: Job = {
  name: 'verify-changes',
  summary: 'compare the change log with the catalog, log what was missed, and drop old removals',
  everySeconds: 86_400,

  async run(context) {
    // All that has yet to be logged would look as if it had been missed.
    if (await isLogBehind(context)) {
      return { waitingFor: logChanges.name }
    }
    const everything = { afterId: null, lastId: null }
    const counts = { compared: 0, mended: 0, dropped: 0 }
    let suspects: string[] = []
    for await (const pair of inStep(storedSkills(context, everything), loggedSkills(context))) {
      counts.compared += 1
      if (counts.compared % pauseEvery === 0) {
        await setImmediate()
      }
      if (hashOf(pair) !== pair.indexed) {
        suspects.push(pair.id)
      }
      if (suspects.length === batchSize) {
        counts.mended += await mend(context, suspects)
        suspects = []
      }
    }
    counts.mended += await mend(context, suspects)
    counts.dropped = await prune(context)
    return counts
  },
}

/** What should be logged of a skill; undefined: nothing. */
function hashOf({ id, stored }: Pair): string | undefined {
  const document = toSearchDocument(id, stored)
  return document === null || 'reason' in document ? undefined : changeHash(document.skill)
}

/** What the log has as published, by id. */
async function* loggedSkills({ changes, signal }: JobContext): AsyncGenerator<Pair> {
  let afterId: string | null = null
  do {
    signal.throwIfAborted()
    const page: { id: string; contentHash: string }[] = await changes.listPublished(afterId, listedAtOnce)
    for (const { id, contentHash } of page) {
      yield { id, stored: undefined, indexed: contentHash }
    }
    afterId = page.length < listedAtOnce ? null : (page.at(-1)?.id ?? null)
  } while (afterId !== null)
}

/** Logs what is stored under these ids now, which is not what it was when they were compared. */
async function mend(context: JobContext, ids: string[]): Promise<number> {
  if (ids.length === 0) {
    return 0
  }
  const { catalog, changes, clock } = context
  return asWriter(context, async () => {
    const { head, watermark, complete } = await changes.position()
    const found = new Map((await catalog.findStored('skills', ids)).map(({ id, stored }) => [id, stored]))
    const drafts = await changeDrafts(
      context,
      ids.map((id) => ({ id, stored: found.get(id) })),
    )
    await changes.append({ onto: head, changes: drafts, watermark, complete, at: clock() })
    context.reached?.('log-mended')
    return drafts.length
  })
}

const prune = (context: JobContext): Promise<number> =>
  asWriter(context, () => context.changes.prune(new Date(context.clock().getTime() - context.changesKeptDays * dayMs)))

/** The log has one writer at a time. */
async function asWriter<T>({ catalog, signal }: JobContext, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(catalog, logChanges.name, writerPatienceMs, signal)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
