import { PassThrough } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aSkill } from '../support/factories.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runCatalog, runOn, withStoresOf } from '../support/run-catalog.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** A data folder with three skills in the index, and one that is not. */
async function folderWithOnePending(): Promise<string> {
  const folder = temporaryFolder()
  await withStoresOf(folder, ({ catalog }) =>
    catalog.put(
      'skills',
      [1, 2, 3].map((index) => aSkill({ repo: `s${index}` })),
    ),
  )
  await runCatalog(folder, ['sync'])
  await withStoresOf(folder, ({ catalog }) => catalog.put('skills', [aSkill({ repo: 's4' })]))
  return folder
}

describe('status', () => {
  test('counts store, log and index, and what is to be indexed', async () => {
    const folder = await folderWithOnePending()

    const { status, json } = await runCatalog(folder, ['status', '--json'])
    const { stdout } = await runCatalog(folder, ['status'])

    expect(status).toBe(0)
    expect(json).toMatchObject({
      command: 'status',
      dependencies: { catalog: 'up', search: 'up' },
      skills: { catalog: 4, log: 4, index: 3 },
      pending: { count: 1, isLowerBound: false, oldestAt: expect.stringMatching(/Z$/) },
      deadLetters: { count: 0, first: [] },
      disk: { usedBytes: expect.any(Number), freeBytes: expect.any(Number) },
      service: null,
    })
    expect(stdout).toMatch(/^skills +4 stored, 4 in the change log, 3 indexed$/m)
    expect(stdout).toMatch(/^search index +1 changes? to be indexed, the first logged \S+Z, last sync \S+Z$/m)
    expect(stdout).toMatch(/^sync-index +0\.5 s +\S+Z +succeeded: 3 published/m)
  })

  test('shows dead letters with their reasons', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, async ({ catalog }) => {
      const letter = (id: string) =>
        ({ id, reason: 'too long', since: '2026-01-01T00:00:00.000Z', source: 'index' }) as const
      await catalog.keepDeadLetters(['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6'].map(letter), aLock())
    })

    const { stdout } = await runCatalog(folder, ['status'])

    expect(stdout).toMatch(/^dead letters +6 records\n {14}a\/1: too long\n/m)
    expect(stdout).toContain('jobs dead-letters lists all of them')
  })
})

test('status --watch --json prints a line each time, until it is stopped', async () => {
  const folder = await folderWithOnePending()
  const [stop, stdout] = [new AbortController(), new PassThrough()]
  let printed = ''
  stdout.on('data', (chunk) => {
    printed += String(chunk)
  })
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), signal: stop.signal }

  const running = runOn(io, { DATA_DIR: folder }, ['status', '--watch', '--every', '1', '--json'])
  await until(() => printed.split('\n').length >= 2)
  await withStoresOf(folder, ({ catalog }) => catalog.writeState(stateKeys.pausedJobs, ['sync-index']))
  await until(() => printed.includes('"paused":true'))
  stop.abort(new Error('stopped'))

  expect(await running).toBe(0)
  const lines = printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThanOrEqual(2)
  expect(lines.every(({ skills }) => skills.catalog === 4)).toBe(true)
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis('status on servers names what is down, and shows the rest', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      await runOnServers(env, ['sync', '--local'])

      const up = await runOnServers(env, ['status', '--json'])
      const noSearch = await runOnServers({ ...env, MEILI_URL: 'http://127.0.0.1:1' }, ['status', '--json'])
      const noJobs = await runOnServers({ ...env, REDIS_URL: 'redis://127.0.0.1:1' }, ['status', '--json'])

      expect(up.json).toMatchObject({
        dependencies: { catalog: 'up', search: 'up', jobs: 'up' },
        indexers: 0,
        disk: null,
      })
      expect(noSearch.json).toMatchObject({ dependencies: { search: 'down', jobs: 'up' }, skills: { index: null } })
      expect(noJobs.json).toMatchObject({ dependencies: { search: 'up', jobs: 'down' } })
      expect((noJobs.json['jobs'] as unknown[]).length).toBeGreaterThan(5)
    })
  })
})
