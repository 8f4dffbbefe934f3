import type { Stats } from '../../../shared/records/stats.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { countExtra } from '../count-extra.js'
import type { Job, JobContext } from '../job.js'
import type { JobRecord } from '../run-job.js'
import { rebuildIndex } from './rebuild-index.js'
import { syncSkills } from './sync-skills.js'
import { verifyIndex } from './verify-index.js'

/** Computes the catalog's figures and keeps them for the query service. */
export const computeStats: Job = {
  name: 'compute-stats',
  summary: "compute the catalog's figures",
  everySeconds: 300,

  async run(context) {
    const { catalog, exports, clock } = context
    const figures = await catalog.computeStats()
    context.reached?.('stats-computed')
    const stats: Stats = {
      ...figures,
      freshness: {
        ...figures.freshness,
        lastSyncAt: await lastSyncAt(context),
        statsGeneratedAt: clock().toISOString(),
        exportsGeneratedAt: (await exports.snapshots())[0]?.generatedAt ?? null,
      },
    }
    await catalog.writeState(stateKeys.stats, stats)
    const extra = await countExtra(context)
    return {
      ...stats.totals,
      indexed: await countIndexed(context),
      ...(extra === null || extra === 0 ? {} : { extra }),
    }
  },

  // What is in the index and no longer in the catalog was deleted without a trace: the comparison finds what it was.
  followedBy: ({ extra }) => (Number(extra ?? 0) > 0 ? [verifyIndex.name] : []),
}

/** How many skills can be found; null when the index does not answer, which is no reason to go without figures. */
async function countIndexed({ index }: JobContext): Promise<number | null> {
  try {
    return (await index.status()).documents
  } catch {
    return null
  }
}

/** When the index was last brought up to date, by either of the jobs that do so. */
async function lastSyncAt({ catalog }: JobContext): Promise<string | null> {
  const succeeded = await Promise.all(
    [syncSkills.name, rebuildIndex.name].map(async (name) => {
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
