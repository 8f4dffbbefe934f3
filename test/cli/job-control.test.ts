import { describe, expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('jobs pause and jobs resume', () => {
  test('keep with the catalog what is paused, and show it', async () => {
    const folder = temporaryFolder()

    const paused = await runCatalog(folder, ['jobs', 'pause', 'write-exports', 'sync-skills', '--json'])
    const shown = await runCatalog(folder, ['jobs'])
    const resumed = await runCatalog(folder, ['jobs', 'resume', 'write-exports'])
    const rest = await runCatalog(folder, ['jobs', 'resume', 'sync-skills'])
    const again = await runCatalog(folder, ['jobs', 'resume', 'sync-skills'])
    const none = await runCatalog(folder, ['jobs', 'resume'])

    expect(paused.json).toMatchObject({ command: 'jobs pause', status: 0, paused: ['sync-skills', 'write-exports'] })
    expect(shown.stdout).toMatch(/\nsync-skills .* paused\n/)
    expect(shown.stdout).not.toMatch(/\ncompute-stats .* paused\n/)
    expect([resumed.status, resumed.stdout]).toEqual([0, 'Resumed: write-exports\nStill paused: sync-skills\n'])
    expect([rest.status, rest.stdout]).toEqual([0, 'Resumed: sync-skills\n'])
    expect(again.stdout).toBe('Not paused: sync-skills\n')
    expect(none.stdout).toBe('No job was paused.\n')
    expect(await withStoresOf(folder, ({ catalog }) => catalog.readState(stateKeys.pausedJobs))).toBeNull()
  })

  test('without names pause every job that runs by itself', async () => {
    const { stdout } = await runCatalog(temporaryFolder(), ['jobs', 'pause'])

    expect(stdout).toBe(
      'Paused: sync-skills, log-changes, compute-stats, write-exports, mend-late-writes, verify-index, verify-changes, divide-sitemap\n',
    )
  })

  test('of a job that is not there end with 2 and name those that are', async () => {
    const { status, stderr, json } = await runCatalog(temporaryFolder(), ['jobs', 'pause', 'sync', '--json'])

    expect(status).toBe(2)
    expect(stderr).toMatch(/^There is no job sync\. The jobs are sync-skills, .*retry-dead-letters\.\n$/)
    expect(json).toMatchObject({ command: 'jobs pause', status: 2, error: { code: 'bad_arguments' } })
  })
})

describe('jobs retry', () => {
  test('runs again what failed last, and nothing else', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['stats'])
    await withStoresOf(folder, ({ catalog }) =>
      catalog.writeState(stateKeys.job('write-exports'), {
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:01.000Z',
        outcome: 'failed',
        result: null,
        error: 'the disk is full',
        lastSucceededAt: null,
      }),
    )

    const { status, json } = await runCatalog(folder, ['jobs', 'retry', '--json'])
    const again = await runCatalog(folder, ['jobs', 'retry'])

    expect([status, json]).toMatchObject([0, { runs: [{ job: 'write-exports', status: 0, files: 9 }] }])
    expect([again.status, again.stdout]).toEqual([0, 'Nothing to do: no last run has failed.\n'])
  })
})

describe('jobs dead-letters', () => {
  test('lists what could not be indexed, and tries it again', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, ({ catalog }) =>
      catalog.put('skills', [aSkill({ repo: 'bad', stars: -1 }), aSkill({ repo: 'worse', stars: -2 })]),
    )
    await runCatalog(folder, ['sync'])

    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])
    const first = await runCatalog(folder, ['jobs', 'dead-letters', '--limit', '1', '--json'])
    const retried = await runCatalog(folder, ['jobs', 'dead-letters', '--retry', '--json'])

    expect(listed.stdout).toMatch(/^skill +since +reason\nacme\/bad +\S+Z +stars: .*\nacme\/worse +\S+Z +stars: .*\n$/)
    expect(first.json).toMatchObject({ deadLetters: [{ id: 'acme/bad' }], more: true })
    expect(retried.status).toBe(1)
    expect(retried.json).toMatchObject({ command: 'jobs dead-letters', tried: 2, published: 0, rejected: 2 })
    expect(retried.stderr).toMatch(/^acme\/bad: cannot be published as it is stored: stars: /)
  })

  test('an id of any length leaves the table narrow, and is whole in JSON', async () => {
    const folder = temporaryFolder()
    const id = `acme/${'x'.repeat(300)}`
    await withStoresOf(folder, ({ catalog }) =>
      catalog.keepDeadLetters([{ id, reason: 'repo: is too long', since: '2026-01-01T00:00:00.000Z' }]),
    )

    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])
    const whole = await runCatalog(folder, ['jobs', 'dead-letters', '--json'])

    expect(listed.stdout).toMatch(/\nacme\/x{74}… {2}2026-01-01T00:00:00.000Z {2}repo: is too long\n$/)
    expect(whole.json).toMatchObject({ deadLetters: [{ id }] })
  })

  test('a retry takes in what can be indexed by now', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.put('skills', [aSkill({ repo: 'good' })])
      const since = '2026-01-01T00:00:00.000Z'
      await catalog.keepDeadLetters([
        { id: 'acme/good', reason: 'the index refused it', since },
        { id: 'acme/gone', reason: 'the index refused it', since },
      ])
    })

    const retried = await runCatalog(folder, ['jobs', 'dead-letters', '--retry', '--json'])
    const listed = await runCatalog(folder, ['jobs', 'dead-letters'])

    expect([retried.status, retried.json]).toMatchObject([0, { tried: 2, published: 1, removed: 1, rejected: 0 }])
    expect(listed.stdout).toBe('There are no dead letters.\n')
  })
})
