import { expect } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { computeStats } from '../../../services/indexer/jobs/compute-stats.js'
import { divideSitemap } from '../../../services/indexer/jobs/divide-sitemap.js'
import { ingest } from '../../../services/indexer/jobs/ingest.js'
import { rebuildIndex } from '../../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../../services/indexer/jobs/reconcile.js'
import { recordHistory } from '../../../services/indexer/jobs/record-history.js'
import { retryDeadLetters } from '../../../services/indexer/jobs/retry-dead-letters.js'
import { syncIndex } from '../../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../../services/indexer/runner/job.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { aLock } from '../../support/a-lock.js'
import { runCatalogOn } from '../../support/catalog-command.js'
import { aSkill } from '../../support/factories.js'
import { runOnce } from '../../support/run-once.js'
import { type CrashPoint, crashPoints, dyingAt, watchCalls } from './crash-points.mjs'
import { expectInvariant } from './invariant.js'
import { endLeases } from './leases.js'
import type { Environment } from './published-catalog.js'
import { type OpenedCatalog, withCatalog } from './with-catalog.js'

/**
 * Does one run of a job that ends at a crash point, as if its process did: nothing that it does after that, to clean up
 * or to keep how it ended, reaches the stores. Only its lock is released, as the lease of a dead process ends.
 */
async function crashJob(job: Job, point: CrashPoint, stores: Omit<Stores, 'close'>): Promise<void> {
  const crash = new Error(`the process ends at ${point}`)
  let crashed = false
  const untilCrash = watchCalls(stores, (event, args) => {
    crashed ||= crashPoints[point](event, args)
    if (crashed) {
      throw crash
    }
  })
  await expect(runOnce(job, untilCrash)).rejects.toThrow(crash)
}

const makeSkills = (count: number) =>
  Array.from({ length: count }, (_, n) => aSkill({ repo: `tool-${n}`, name: `Tool ${n}` }))

/** In one folder more than one page of everything that is paged; on servers pages are too large for that. */
export const skillsIn = { folder: makeSkills(1_200), servers: makeSkills(150) }

/** The job that reaches the point. */
const reachedBy: Record<CrashPoint, Job> = {
  'batch-read': syncIndex,
  'batch-applied': syncIndex,
  'position-kept': syncIndex,
  'rebuild-begun': rebuildIndex,
  'page-copied': rebuildIndex,
  'rebuild-verified': rebuildIndex,
  'index-swapped': rebuildIndex,
  'sync-continued': rebuildIndex,
  'changes-logged': ingest,
  'export-file-written': writeExports,
  'export-files-written': writeExports,
  'exports-published': writeExports,
  'dataset-written': writeDataset,
  'dataset-published': writeDataset,
  'stats-computed': computeStats,
  'differences-found': reconcile,
  'differences-repaired': reconcile,
  'log-repaired': reconcile,
  'letters-retried': retryDeadLetters,
  'histories-written': recordHistory,
  'sitemap-divided': divideSitemap,
}

/** Points that are reached on servers only: in one folder each write is logged together with its record. */
export const onServersOnly: CrashPoint[] = ['changes-logged', 'log-repaired']

/** Points at which the new index has taken the place of the old one. */
const swapped: CrashPoint[] = ['index-swapped', 'sync-continued']

/** The points at which a real process is killed as well, and the command that reaches each. */
const kills: { point: CrashPoint; command: string; title: string }[] = [
  { point: 'batch-read', command: 'sync', title: '1. kill -9 before POST: resumes, none lost' },
  { point: 'page-copied', command: 'rebuild', title: '3. kill -9 mid-scan: resumes or restarts; live index untouched' },
  { point: 'index-swapped', command: 'rebuild', title: '4. kill -9 between swap and state save: no swap-back' },
]

const isOnServers = (env: Environment): boolean => env['MONGODB_URL'] !== undefined

/** A catalog that is up to date, and then changes: in the records, and unnoticed in index and change log. */
export const prepare = (env: Environment, skills: StoredSkill[]): Promise<void> =>
  withCatalog(env, async ({ catalog, replicas: [index], run, sync }) => {
    const poisoned = isOnServers(env) ? [aSkill({ repo: 'a poisoned one' })] : []
    await catalog.put('skills', [...skills.slice(0, -100), ...poisoned])
    await sync()
    for (const job of [writeExports, computeStats]) {
      await run(job)
    }
    await index.apply({ publish: [], remove: ['acme/tool-10', 'acme/tool-11'] }, 'live', aLock())
    await catalog.keepDeadLetters(
      [
        {
          id: 'acme/tool-20',
          reason: 'Meilisearch refused it: once',
          since: '2026-01-01T00:00:00.000Z',
          source: 'index',
        },
      ],
      aLock({ name: syncIndex.name, epoch: 0 }),
    )
    await damageLog(env)
    await catalog.put('skills', [...skills.slice(-100), aSkill({ repo: 'tool-0', name: 'Changed' })])
    await catalog.remove('skills', ['acme/tool-1', 'acme/tool-2'])
    if (isOnServers(env)) {
      await run(ingest)
      await catalog.put('skills', [aSkill({ repo: 'tool-3', name: 'Changed' })])
    }
  })

/** Makes the log of a catalog on servers say that a skill is not published. */
async function damageLog(env: Environment): Promise<void> {
  if (isOnServers(env)) {
    const client = await MongoClient.connect(String(env['MONGODB_URL']))
    await client
      .db()
      .collection<{ _id: string }>('changes')
      .updateOne({ _id: 'acme/tool-12' }, { $set: { contentHash: null } })
    await client.close()
  }
}

/** Brings a catalog to a crash point, at which a job ends. */
type Crash = (env: Environment) => Promise<void>

/** Ends a run in this process. */
const throwAt =
  (point: CrashPoint): Crash =>
  (env) =>
    withCatalog(env, (catalog) => crashJob(reachedBy[point], point, catalog))

/** Kills a process that runs the job. */
const killAt =
  (point: CrashPoint, command: string): Crash =>
  async (env) => {
    expect((await runCatalogOn({ ...env, ...dyingAt(point) }, [command, '--local', '--json'])).status).toBe('SIGKILL')
    await endLeases(env)
  }

const indexed = ({ replicas: [index] }: OpenedCatalog) => index.list(null, 10_000, 'live')

/** Brings a prepared catalog to a crash point, and shows that nothing is lost and all goes on. */
export async function showCrash(
  point: CrashPoint,
  crash: Crash,
  env: Environment,
  skills: StoredSkill[],
): Promise<void> {
  const published = skills.length - 2
  const poisoned = isOnServers(env) ? 1 : 0
  const before = await withCatalog(env, indexed)
  await crash(env)
  const ofRebuild = reachedBy[point] === rebuildIndex
  await withCatalog(env, async (catalog) => {
    const after = await indexed(catalog)
    if (swapped.includes(point)) {
      // What was taken out of the old index unnoticed.
      expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(['acme/tool-10', 'acme/tool-11']))
    } else if (ofRebuild) {
      expect(after).toEqual(before)
    }
    await catalog.sync()
    await catalog.run(reconcile)
  })
  expect(await expectInvariant(env)).toMatchObject({ compared: published })
  await withCatalog(env, async ({ run }) => {
    expect(await run(rebuildIndex)).toMatchObject({ documents: published, resumed: ofRebuild })
    await run(writeExports)
    await run(computeStats)
  })
  expect(await expectInvariant(env)).toMatchObject({ compared: published, rejected: poisoned })
}

/** Every crash: of a run in this process, and of some processes. */
export const crashes = [
  ...(Object.keys(crashPoints) as CrashPoint[]).map((point) => ({
    title: `crash: nothing is lost, and all goes on (${point})`,
    point,
    crash: throwAt(point),
  })),
  ...kills.map(({ point, command, title }) => ({ title: `${title} (${point})`, point, crash: killAt(point, command) })),
]
