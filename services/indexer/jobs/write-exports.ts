import { writeExportsName } from '../../../shared/job-names.js'
import type { Stats } from '../../../shared/records/stats.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { exportDrafts, maxExportRows } from '../export-files.js'
import type { Job, JobContext } from '../job.js'
import { readAndTell } from '../tell-exported.js'
import { waitForLock } from '../wait-for-lock.js'
import { computeStats } from './compute-stats.js'

/** For how long a computation of the statistics under way is waited for. */
const statsPatienceMs = 60_000

/** Writes the whole catalog to files that the query service hands out, and publishes them in one step. */
export const writeExports: Job = {
  name: writeExportsName,
  summary: 'write and publish the export files',
  everySeconds: 3_600,

  async run(context) {
    const generatedAt = context.clock().toISOString()
    const { skills, changesSince } = await readAndTell(context, () =>
      context.catalog.exportRows('skills', maxExportRows),
    )
    const moment = {
      snapshot: generatedAt.replaceAll(/[-:.]/g, ''),
      generatedAt,
      changesSince,
    }
    const { files } = await context.exports.publish(moment, exportDrafts(context, moment, skills))
    context.reached?.('exports-published')
    await tellStats(context, generatedAt)
    // The other encodings hold the same once more.
    const plain = files.filter(({ encoding }) => encoding === 'identity')
    return {
      snapshot: moment.snapshot,
      files: plain.length,
      rows: plain.filter(({ format }) => format === 'json').reduce((sum, { count }) => sum + count, 0),
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    }
  },
}

/** The statistics say when the files were made, and this is known sooner than they are computed again. */
async function tellStats({ catalog, signal }: JobContext, exportsGeneratedAt: string): Promise<void> {
  const lock = await waitForLock(catalog, computeStats.name, statsPatienceMs, signal)
  try {
    const stats = await catalog.readState<Stats>(stateKeys.stats)
    if (stats !== null) {
      await catalog.writeState(stateKeys.stats, { ...stats, freshness: { ...stats.freshness, exportsGeneratedAt } })
    }
  } finally {
    await lock.release()
  }
}
