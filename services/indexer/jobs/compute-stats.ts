import { type CountedKind, countedFields } from '../../../shared/ports/dataset-reader.js'
import { recordTypes } from '../../../shared/records/records.js'
import type { CatalogDay, Stats } from '../../../shared/records/stats.js'
import { stateKeys } from '../../../shared/state-keys.js'
import type { Job, JobContext, JobRecord } from '../runner/job.js'
import { divideSitemap } from './divide-sitemap.js'
import { rebuildIndex } from './rebuild-index.js'
import { recordHistory } from './record-history.js'
import { syncIndex } from './sync-index.js'
import { writeDataset } from './write-dataset.js'

/** The jobs that run at once on the first records: of an empty catalog they have made nothing, and run seldom. */
export const firstRecordJobs: Job[] = [writeDataset, recordHistory, divideSitemap]

/** Computes the catalog's statistics and stores them for the query service. */
export const computeStats: Job = {
  name: 'compute-stats',
  summary: "compute the catalog's statistics",
  everySeconds: 300,

  async run(context) {
    const { catalog, exports, clock, lock } = context
    const computed = await catalog.computeStats()
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
    for (const kind of Object.keys(countedFields) as CountedKind[]) {
      await catalog.writeState(stateKeys.counted(kind), await catalog.largestValues(kind), lock)
    }
    const { documents, settings } = await indexStatus(context)
    return {
      ...stats.totals,
      indexed: documents,
      ...(settings === null || settings === context.replicas[0].settings ? {} : { indexLost: true }),
      ...((await areFirst(context, stats)) ? { firstRecords: true } : {}),
    }
  },

  followedBy: ({ indexLost, firstRecords }) => [
    ...(firstRecords === true ? firstRecordJobs.map(({ name }) => name) : []),
    ...(indexLost === true ? [syncIndex.name] : []),
  ],
}

/** Whether there are records of a type of which dataset or history have none: they would stay so for a day. */
async function areFirst({ catalog, datasets }: JobContext, { totals }: Stats): Promise<boolean> {
  const [dataset] = await datasets.snapshots()
  const history = (await catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
  return recordTypes.some(
    (name) =>
      totals[name] > 0 &&
      (!dataset?.files.some(({ type, count }) => type === name && count > 0) ||
        history.every((day) => day[name] === 0)),
  )
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
