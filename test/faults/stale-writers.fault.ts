import { expect, test } from '@jest/globals'
import type { CrashPoint } from '../../services/indexer/crash-points.js'
import type { Job } from '../../services/indexer/job.js'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { stateKeys } from '../../shared/state-keys.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { expectInvariant } from './support/invariant.js'
import { endLeases } from './support/leases.js'
import { untilStopped } from './support/stopped.js'
import { type OpenedCatalog, withCatalog } from './support/with-catalog.js'

/** Longer than a lock lasts, and for a busy machine. */
const patienceMs = 300_000

/** What a run that was overtaken must not have put back: all that jobs keep. */
const kept = async ({ catalog, exports }: OpenedCatalog) => ({
  watermark: await catalog.readState(stateKeys.syncWatermark),
  rebuild: await catalog.readState(stateKeys.rebuild),
  stats: await catalog.readState(stateKeys.stats),
  letters: await catalog.listDeadLetters(null, 10),
  current: (await exports.snapshots())[0]?.snapshot,
})

/**
 * A command is stopped at this point, as by SIGSTOP, for longer than its lock lasts; another process does the same job
 * with what has changed meanwhile; then the first one goes on, and is refused.
 *
 * @param waits whether the end of the lock is waited for
 */
async function showStale(
  env: Record<string, string>,
  point: CrashPoint,
  [command, job]: [string, Job],
  waits: boolean,
): Promise<void> {
  const skills = Array.from({ length: 30 }, (_, n) => aSkill({ repo: `tool-${n}` }))
  await withCatalog(env, async ({ catalog, run }) => {
    await catalog.put('skills', skills)
    await run(logChanges)
    if (job !== syncSkills) {
      await run(syncSkills)
    }
  })
  const stale = startCatalogOn({ ...env, NODE_ENV: 'test', CATALOG_CRASH_POINT: `stop:${point}` }, [
    command,
    '--local',
    '--json',
  ])
  await untilStopped(stale)

  const after = await withCatalog(env, async (catalog) => {
    await catalog.catalog.put('skills', [aSkill({ repo: 'tool-0', stars: 2 }), aSkill({ repo: 'new' })])
    await catalog.catalog.remove('skills', ['acme/tool-1'])
    if (!waits) {
      await endLeases(env)
    }
    await catalog.run(job)
    if (job !== syncSkills) {
      await catalog.run(syncSkills)
    }
    return kept(catalog)
  })
  stale.signal('SIGCONT')
  const { status, json } = await stale.ended

  expect([status, json['error']]).toEqual([2, expect.objectContaining({ code: 'lock_lost' })])
  expect(await withCatalog(env, kept)).toEqual(after)
  expect(await expectInvariant(env)).toMatchObject({ compared: 30 })
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const empty = () => emptyCatalog(mongodb(), meilisearch(), 'redis://127.0.0.1:1')

    test(
      '7. SIGSTOP 90 s, resume: stale epoch refused',
      async () => showStale(await empty(), 'batch-read', ['sync', syncSkills], true),
      patienceMs,
    )

    test.each<[CrashPoint, string, Job]>([
      ['batch-applied', 'sync', syncSkills],
      ['page-copied', 'rebuild', rebuildIndex],
      ['rebuild-verified', 'rebuild', rebuildIndex],
      ['export-files-written', 'export', writeExports],
      ['stats-computed', 'stats', computeStats],
    ])(
      'stopped at %s while another took over, it writes nothing more',
      async (point, command, job) => showStale(await empty(), point, [command, job], false),
      patienceMs,
    )
  })
})
