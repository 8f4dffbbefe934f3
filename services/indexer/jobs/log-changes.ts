import { batchSize } from '../apply-changes.js'
import { changeDrafts } from '../change-drafts.js'
import type { Job } from '../job.js'

/**
 * Logs what changed among the published skills for those who keep a copy of them.
 *
 * How far it has come is kept with the log, in the same step: what was lost of either is logged again, and nothing
 * twice. It does not wait for the search index, and is written by whoever holds its lock; another one that believes to
 * hold it as well is refused by the log.
 */
export const logChanges: Job = {
  name: 'log-changes',
  summary: 'log what changed in the catalog for those who keep a copy of it',
  everySeconds: 2,

  async run(context) {
    const { catalog, changes, clock, progress, signal } = context
    const counts = { published: 0, removed: 0 }
    let { head, watermark, complete } = await changes.position()
    let more = true
    while (more) {
      signal.throwIfAborted()
      const stretch = await catalog.changesAfter(watermark, batchSize)
      const drafts = await changeDrafts(context, stretch.changes)
      context.reached?.('changes-read')
      const completes = !complete && !stretch.more
      if (drafts.length > 0 || stretch.watermark !== watermark || completes) {
        complete ||= completes
        const batch = { changes: drafts, watermark: stretch.watermark, complete }
        head = await changes.append({ onto: head, ...batch, at: clock() })
      }
      context.reached?.('changes-logged')
      const published = drafts.filter(({ contentHash }) => contentHash !== null).length
      counts.published += published
      counts.removed += drafts.length - published
      progress.add(stretch.changes.length)
      watermark = stretch.watermark
      more = stretch.more
    }
    return counts
  },
}
