import { withLock } from '../../../shared/ports/locks.js'
import type { Stats } from '../../../shared/records/stats.js'
import { stateKeys, writeExportsName } from '../../../shared/state-keys.js'
import { currentMoment, describeSnapshot } from '../exports/snapshot.js'
import type { Job, JobContext } from '../runner/job.js'
import { computeStats } from './compute-stats.js'

/** The maximum wait for a running computation of the statistics. */
const statsTimeoutMs = 60_000

/** Writes the first records of each type to files that the query service serves, and publishes them in one step. */
export const writeExports: Job = {
  name: writeExportsName,
  summary: 'write and publish the export files',
  everySeconds: 3_600,

  async run(context) {
    // Loaded here, since every command reads the list of jobs.
    const { exportDrafts, maxExportRows } = await import('../exports/export-files.js')
    const moment = await currentMoment(context)
    const skills = await context.catalog.exportRows('skills', maxExportRows)
    const drafts = exportDrafts(context, moment, skills)
    const { files } = await context.exports.publish(moment, drafts, context.lock, (written) =>
      describeSnapshot(moment, written, context.signer ?? null),
    )
    await noteInStats(context, moment.generatedAt)
    // The other encodings have the same content.
    const plain = files.filter(({ encoding }) => encoding === 'identity')
    return {
      snapshot: moment.snapshot,
      files: plain.length,
      rows: plain.filter(({ format }) => format === 'json').reduce((sum, { count }) => sum + count, 0),
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    }
  },
}

/** Stores the time of the files in the statistics at once, before their next computation. */
const noteInStats = (context: JobContext, exportsGeneratedAt: string): Promise<void> =>
  withLock(context, computeStats.name, statsTimeoutMs, async (lock) => {
    const { catalog } = context
    const stats = await catalog.readState<Stats>(stateKeys.stats)
    if (stats !== null) {
      const freshness = { ...stats.freshness, exportsGeneratedAt }
      await catalog.writeState(stateKeys.stats, { ...stats, freshness }, lock)
    }
  })
