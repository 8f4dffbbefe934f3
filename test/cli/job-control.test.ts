import { describe, expect, test } from '@jest/globals'
import type { DeadLetter } from '../../shared/ports/document-ingest.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aSkill } from '../support/factories.js'
import { emptyDataFolder, runCatalog, withStoresOf } from '../support/run-catalog.js'
import { aFailedRun } from '../support/run-once.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('jobs pause and jobs resume', () => {
  test('store the paused jobs in the catalog, and print them', async () => {
    const folder = await emptyDataFolder()

    const paused = await runCatalog(folder, ['jobs', 'pause', 'write-exports', 'sync-index', '--json'])
    const shown = await runCatalog(folder, ['jobs'])
    const resumed = await runCatalog(folder, ['jobs', 'resume', 'write-exports'])
    const rest = await runCatalog(folder, ['jobs', 'resume', 'sync-index'])
    const again = await runCatalog(folder, ['jobs', 'resume', 'sync-index'])
    const none = await runCatalog(folder, ['jobs', 'resume'])

    expect(paused.json).toMatchObject({ command: 'jobs pause', status: 0, paused: ['sync-index', 'write-exports'] })
    expect(shown.stdout).toMatch(/\nsync-index .* paused\n/)
    expect(shown.stdout).not.toMatch(/\ncompute-stats .* paused\n/)
    expect([resumed.status, resumed.stdout]).toEqual([0, 'Resumed: write-exports\nStill paused: sync-index\n'])
    expect([rest.status, rest.stdout]).toEqual([0, 'Resumed: sync-index\n'])
    expect(again.stdout).toBe('Not paused: sync-index\n')
    expect(none.stdout).toBe('No job was paused.\n')
    expect(await withStoresOf(folder, ({ catalog }) => catalog.readState(stateKeys.pausedJobs))).toBeNull()
  })

  test('without names pause every job with a schedule', async () => {
    const { stdout } = await runCatalog(await emptyDataFolder(), ['jobs', 'pause'])

    expect(stdout).toBe(
      'Paused: sync-index, embed-skills, compute-stats, write-exports, write-dataset, reconcile, divide-sitemap, record-history\n',
    )
  })

  test('of an unknown job end with 2 and list the known ones', async () => {
    const { status, stderr, json } = await runCatalog(temporaryFolder(), ['jobs', 'pause', 'sync', '--json'])

    expect(status).toBe(2)
    expect(stderr).toMatch(/^There is no job sync\. The jobs are sync-index, .*retry-dead-letters\.\n$/)
    expect(json).toMatchObject({ command: 'jobs pause', status: 2, error: { code: 'bad_arguments' } })
  })
})

describe('jobs run', () => {
  test('runs the named jobs, also a paused one', async () => {
    const folder = await emptyDataFolder()
    await runCatalog(folder, ['jobs', 'pause', 'divide-sitemap'])

    const { status, stdout } = await runCatalog(folder, ['jobs', 'run', 'divide-sitemap'])
    const { json } = await runCatalog(folder, ['jobs', 'run', 'record-history', 'divide-sitemap', '--json'])

    expect([status, stdout]).toEqual([0, expect.stringMatching(/^divide-sitemap: 0 skills, 1 part \(.*\)\n$/)])
    const runs = [
      { job: 'divide-sitemap', status: 0, parts: 1 },
      { job: 'record-history', status: 0 },
    ]
    expect(json).toMatchObject({ command: 'jobs run', status: 0, runs })
  })

  test('of an unknown job, or of none, ends with 2', async () => {
    const unknown = await runCatalog(await emptyDataFolder(), ['jobs', 'run', 'sync'])
    const none = await runCatalog(await emptyDataFolder(), ['jobs', 'run'])

    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('There is no job sync. The jobs are')])
    expect(none.status).toBe(2)
  })
})

describe('jobs retry', () => {
  test('runs the jobs again whose last run failed, and no others', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['stats'])
    await withStoresOf(folder, ({ catalog }) => catalog.writeState(stateKeys.job('write-exports'), aFailedRun))

    const { status, json } = await runCatalog(folder, ['jobs', 'retry', '--json'])
    const again = await runCatalog(folder, ['jobs', 'retry'])

    expect([status, json]).toMatchObject([0, { runs: [{ job: 'write-exports', status: 0, files: 9 }] }])
    expect([again.status, again.stdout]).toEqual([0, 'Nothing to do: the last run of no job has failed.\n'])
  })
})

const aLetter = (id: string, reason: string): DeadLetter => ({
  id,
  reason,
  since: '2026-01-01T00:00:00.000Z',
  source: 'index',
})

describe('jobs dead-letters', () => {
  test('lists the skills that could not be indexed', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, ({ catalog }) =>
      catalog.keepDeadLetters(
        [aLetter('acme/bad', 'stars: is odd'), aLetter('acme/worse', 'stars: is odder')],
        aLock(),
      ),
    )

    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])
    const first = await runCatalog(folder, ['jobs', 'dead-letters', '--limit', '1', '--json'])

    expect(listed.stdout).toMatch(/^record +since +reason\nacme\/bad +\S+Z +stars: .*\nacme\/worse +\S+Z +stars: .*\n$/)
    expect(first.json).toMatchObject({ deadLetters: [{ id: 'acme/bad', reason: 'stars: is odd' }], more: true })
  })

  test('a long id is shortened in the table, and complete in JSON', async () => {
    const folder = temporaryFolder()
    const id = `acme/${'x'.repeat(300)}`
    await withStoresOf(folder, ({ catalog }) => catalog.keepDeadLetters([aLetter(id, 'repo: is too long')], aLock()))

    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])
    const whole = await runCatalog(folder, ['jobs', 'dead-letters', '--json'])

    expect(listed.stdout).toMatch(/\nacme\/x{74}… {2}2026-01-01T00:00:00.000Z {2}repo: is too long\n$/)
    expect(whole.json).toMatchObject({ deadLetters: [{ id }] })
  })

  test('a retry indexes the skills that can be indexed now', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.put('skills', [aSkill({ repo: 'good' })])
      await catalog.keepDeadLetters(
        ['acme/good', 'acme/gone'].map((id) => aLetter(id, 'the index refused it')),
        aLock(),
      )
    })

    const retried = await runCatalog(folder, ['jobs', 'dead-letters', '--retry', '--json'])
    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])

    expect([retried.status, retried.json]).toMatchObject([0, { tried: 2, published: 1, removed: 1, rejected: 0 }])
    expect(listed.stdout).toBe('There are no dead letters.\n')
  })
})
