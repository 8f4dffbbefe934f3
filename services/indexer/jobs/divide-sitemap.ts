import type { ChangeLog } from '../../../shared/ports/change-log.js'
import { type SitemapState, stateKeys } from '../../../shared/state-keys.js'
import { isLogBehind } from '../is-log-behind.js'
import type { Job } from '../job.js'
import { logChanges } from './log-changes.js'

/** Skills of one part when it is made: far below what a part may hold, so that the last one has room to grow. */
export const skillsPerPart = 2_500

/**
 * Divides the published skills among the parts of the sitemap, by their places in the change log, so that any part is
 * read as fast as the first. What changes afterwards moves to the last part until the next run.
 */
export const divideSitemap: Job = {
  name: 'divide-sitemap',
  summary: 'divide the published skills among the parts of the sitemap',
  everySeconds: 3_600,

  async run(context) {
    // Skills that are logged only afterwards would all be in the last part until the next run.
    if (await isLogBehind(context)) {
      return { waitingFor: logChanges.name }
    }
    const { catalog, changes, signal, progress, reached } = context
    const starts = [0]
    let skills = 0
    let place = 0
    for (;;) {
      signal.throwIfAborted()
      const page: Awaited<ReturnType<ChangeLog['after']>> = await changes.after(place, skillsPerPart)
      const published = page.changes.filter(({ contentHash }) => contentHash !== null)
      for (const { sequence } of published) {
        skills += 1
        if (skills % skillsPerPart === 0) {
          starts.push(sequence)
        }
      }
      progress.add(published.length)
      place = page.changes.at(-1)?.sequence ?? place
      if (page.changes.length < skillsPerPart) {
        break
      }
    }
    const state: SitemapState = { starts }
    reached?.('sitemap-divided')
    await catalog.writeState(stateKeys.sitemap, state)
    return { skills, parts: starts.length }
  },
}
