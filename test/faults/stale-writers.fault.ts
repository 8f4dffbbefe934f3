import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { stateKeys } from '../../shared/state-keys.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { until } from '../support/until.js'
import { type CrashPoint, dyingAt } from './support/crash-points.mjs'
import { expectInvariant } from './support/invariant.js'
import { endLeases } from './support/leases.js'
import { type OpenedCatalog, withCatalog } from './support/with-catalog.js'

/** Resolves when a process has been stopped with SIGSTOP (Linux). */
async function untilStopped({ pid }: { pid: number }): Promise<void> {
  // The state follows the name in parentheses.
  await until(() => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
}

/** Longer than a lease, and enough for a busy machine. */
const timeoutMs = 300_000

/** The state of all jobs, which an overtaken run must not restore. */
const kept = async ({ catalog, exports }: OpenedCatalog) => ({
  position: await catalog.readState(stateKeys.syncPosition),
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
  await withCatalog(env, async ({ catalog, run, sync }) => {
    await catalog.put('skills', skills)
    await (job === syncIndex ? run(ingest) : sync())
  })
  const stale = startCatalogOn({ ...env, ...dyingAt(point, 'SIGSTOP') }, [command, '--local', '--json'])
  await untilStopped(stale)

  const after = await withCatalog(env, async (catalog) => {
    await catalog.catalog.put('skills', [aSkill({ repo: 'tool-0', stars: 2 }), aSkill({ repo: 'new' })])
    await catalog.catalog.remove('skills', ['acme/tool-1'])
    if (!waits) {
      await endLeases(env)
    }
    if (job !== syncIndex) {
      await catalog.run(job)
    }
    await catalog.sync()
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
      async () => showStale(await empty(), 'batch-read', ['sync', syncIndex], true),
      timeoutMs,
    )

    test.each<[CrashPoint, string, Job]>([
      ['batch-applied', 'sync', syncIndex],
      ['page-copied', 'rebuild', rebuildIndex],
      ['rebuild-verified', 'rebuild', rebuildIndex],
      ['export-files-written', 'export', writeExports],
      ['stats-computed', 'stats', computeStats],
    ])(
      'stopped at %s while another took over, it writes nothing more',
      async (point, command, job) => showStale(await empty(), point, [command, job], false),
      timeoutMs,
    )
  })
})
