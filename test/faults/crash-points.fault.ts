import { describe, expect, test } from '@jest/globals'
import { type CrashPoint, crashPoints } from '../../services/indexer/crash-points.js'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyChanges } from '../../services/indexer/jobs/verify-changes.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { runCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, serviceStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { endLeases } from './support/leases.js'
import { type OpenedCatalog, withCatalog } from './support/with-catalog.js'

type Environment = Record<string, string>

/** A busy machine takes its time; what takes longer than this will never come. */
const patienceMs = 300_000

const manySkills = (count: number) =>
  Array.from({ length: count }, (_, n) => aSkill({ repo: `tool-${n}`, name: `Tool ${n}` }))

/** In one folder more than one page of anything that goes page by page; on servers pages are too large for that. */
const skillsIn = { folder: manySkills(1_200), servers: manySkills(150) }

/** What has a process reach the point: a command, or null for a service, which does it by itself. */
const reachedBy: Record<CrashPoint, string | null> = {
  'batch-read': 'sync',
  'batch-applied': 'sync',
  'watermark-kept': 'sync',
  'rebuild-begun': 'rebuild',
  'page-copied': 'rebuild',
  'rebuild-verified': 'rebuild',
  'index-swapped': 'rebuild',
  'sync-continued': 'rebuild',
  'changes-read': null,
  'changes-logged': null,
  'export-file-written': 'export',
  'export-files-written': 'export',
  'exports-published': 'export',
  'stats-computed': 'stats',
  'differences-found': 'verify',
  'differences-mended': 'verify',
  'log-mended': null,
  'letters-retried': 'jobs dead-letters --retry',
  'sitemap-divided': null,
}

/** Points at which the new index has taken the place of the old one. */
const swapped: CrashPoint[] = ['index-swapped', 'sync-continued']

const faults: Partial<Record<CrashPoint, string>> = {
  'batch-read': '1. kill -9 before POST: resumes, none lost',
  'page-copied': '3. kill -9 mid-scan: resumes or restarts; live index untouched',
  'index-swapped': '4. kill -9 between swap and state save: no swap-back',
}

const titleOf = (point: CrashPoint): string =>
  `${faults[point] ?? 'kill -9: nothing is lost, and all goes on'} (${point})`

/** A catalog that is up to date, and then changes: in the records, and in index and change log behind everybody's back. */
const prepare = (env: Environment, skills: StoredSkill[]): Promise<void> =>
  withCatalog(env, async ({ catalog, index, changes, run }) => {
    await catalog.put('skills', [...skills.slice(0, -100), aSkill({ repo: 'a poisoned one' })])
    for (const job of [syncSkills, logChanges, writeExports, computeStats]) {
      await run(job)
    }
    await index.apply({ publish: [], remove: ['acme/tool-10', 'acme/tool-11'] })
    const { head, ...position } = await changes.position()
    await changes.append({
      ...position,
      onto: head,
      changes: [{ id: 'acme/tool-12', contentHash: null }],
      at: new Date(),
    })
    await catalog.put('skills', [...skills.slice(-100), aSkill({ repo: 'tool-0', name: 'Changed' })])
    await catalog.remove('skills', ['acme/tool-1', 'acme/tool-2'])
  })

/** Has a process reach the point, at which it is killed. */
async function killAt(point: CrashPoint, env: Environment): Promise<void> {
  const command = reachedBy[point]
  const doomed = { ...env, NODE_ENV: 'test', CATALOG_CRASH_POINT: point }
  if (command !== null) {
    expect((await runCatalogOn(doomed, [...command.split(' '), '--local', '--json'])).status).toBe('SIGKILL')
  } else {
    const service = env['MONGODB_URL'] === undefined ? nodeStart(doomed) : serviceStart('indexer', doomed)
    expect(await service.ended).toBe('SIGKILL')
  }
  await endLeases(env)
}

const indexed = ({ index }: OpenedCatalog) => index.list(null, 10_000)

async function showCrash(point: CrashPoint, env: Environment, skills: StoredSkill[]): Promise<void> {
  const published = skills.length - 2
  await prepare(env, skills)
  const before = await withCatalog(env, indexed)
  await killAt(point, env)
  const ofRebuild = reachedBy[point] === 'rebuild'
  await withCatalog(env, async (catalog) => {
    if (ofRebuild && !swapped.includes(point)) {
      expect(await indexed(catalog)).toEqual(before)
    }
    await catalog.run(syncSkills)
    // What was taken out of the index behind its back is in a new one.
    expect(await catalog.run(verifyIndex)).toMatchObject({
      pending: 0,
      ...(swapped.includes(point) ? { missing: 0 } : {}),
    })
    await catalog.run(logChanges)
    await catalog.run(verifyChanges)
  })
  expect(await expectInvariant(env)).toMatchObject({ compared: published + 1, rejected: 1 })
  await withCatalog(env, async ({ run }) => {
    expect(await run(rebuildIndex)).toMatchObject({ documents: published, resumed: ofRebuild })
    await run(writeExports)
    await run(computeStats)
  })
  await expectInvariant(env)
}

describe('killed in one folder', () => {
  test.each(crashPoints.map((point) => ({ point, title: titleOf(point) })))('$title', ({ point }) =>
    showCrash(point, { DATA_DIR: temporaryFolder(), CATALOG_MODE: 'embedded', SAMPLE_CATALOG: 'off' }, skillsIn.folder),
  )
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    describe('killed on servers', () => {
      for (const point of crashPoints) {
        testWithOwnRedis(
          titleOf(point),
          async () =>
            showCrash(
              point,
              await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url),
              skillsIn.servers,
            ),
          patienceMs,
        )
      }
    })
  })
})
