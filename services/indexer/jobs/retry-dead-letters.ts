import type { DeadLetter } from '../../../shared/ports/document-ingest.js'
import { withLock } from '../../../shared/ports/locks.js'
import { readLetterId } from '../../../shared/records/records.js'
import { applyIds, changesPerBatch } from '../indexing/apply-skills.js'
import { pagesOf } from '../indexing/compare-index.js'
import type { Job, JobContext } from '../runner/job.js'
import { ingest } from './ingest.js'
import { syncIndex } from './sync-index.js'

/** The maximum wait for a running ingest or sync. */
const lockTimeoutMs = 120_000

/**
 * Retries to index the skills of dead letters. Runs only when triggered: the sync retries a skill whose document
 * changes.
 */
export const retryDeadLetters: Job = {
  name: 'retry-dead-letters',
  summary: 'retry to index the skills that could not be indexed',
  everySeconds: null,

  async run(context) {
    const { catalog, ingest: documents, signal, report, progress } = context
    const counts = { tried: 0, published: 0, removed: 0, rejected: 0 }
    const rejected = (id: string, reason: string) => {
      counts.rejected += 1
      report({ kind: 'rejected', id, reason })
    }
    for await (const letters of pagesOf((afterId) => catalog.listDeadLetters(afterId, changesPerBatch), signal)) {
      const ids = new Set(letters.map(({ id }) => id))
      if (documents !== null) {
        const ingested = await withLock(context, ingest.name, lockTimeoutMs, (lock) =>
          documents.ingestLetters([...ids], lock),
        )
        for (const { id, reason } of ingested.rejected) {
          rejected(id, reason)
          ids.delete(id)
        }
      }
      const ofSkills = letters.filter(({ id }) => ids.has(id) && readLetterId(id).type === 'skills')
      const refused = new Map<string, string>()
      const applied = await withLock(context, syncIndex.name, lockTimeoutMs, (lock) =>
        applyToAll({ ...context, lock, report: ({ id, reason }) => refused.set(id, reason ?? '') }, ofSkills),
      )
      for (const [id, reason] of refused) {
        rejected(id, reason)
      }
      progress.add(letters.length)
      counts.tried += letters.length
      counts.published += applied.published
      counts.removed += applied.removed
    }
    return counts
  },
}

/** Updates each server of the index to the skills of dead letters. Where one fails, the letters stay. */
async function applyToAll(context: JobContext, letters: DeadLetter[]) {
  const ids = letters.map(({ id }) => id)
  let counts = { published: 0, removed: 0 }
  try {
    for (const index of context.replicas) {
      counts = await applyIds({ ...context, index }, ids, 'live')
    }
  } catch (error) {
    const ofIndex = letters.filter(({ source }) => source === 'index')
    await context.catalog.keepDeadLetters(ofIndex, context.lock)
    throw error
  }
  return counts
}
