import type { ChangeLog } from '../../../shared/ports/change-log.js'
import { type SitemapState, stateKeys } from '../../../shared/state-keys.js'
import type { Job } from '../runner/job.js'
import { ingest } from './ingest.js'

/** Skills in a new part: far below the maximum of a part, so that the last one can grow. */
export const skillsPerPart = 2_500

/**
 * Divides the published skills among the parts of the sitemap by their sequences in the change log, so that any part is
 * read as fast as the first. Skills that change later move to the last part until the next run.
 */
export const divideSitemap: Job = {
  name: 'divide-sitemap',
  summary: 'divide the published skills among the parts of the sitemap',
  everySeconds: 3_600,

  async run(context) {
    const { catalog, changes, lock, signal, progress } = context
    // Skills that are logged later would all be in the last part until the next run.
    if (!(await changes.bounds()).complete) {
      return { waitingFor: ingest.name }
    }
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
    await catalog.writeState(stateKeys.sitemap, state, lock)
    return { skills, parts: starts.length }
  },
}
