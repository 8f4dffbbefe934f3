import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { Meilisearch } from 'meilisearch'
import { checkNode, isAtLeast } from '../../services/indexer/cli/doctor/check.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { type Check, checksIn, findingsIn } from '../support/doctor-checks.js'
import { aSkill } from '../support/factories.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runCatalog, runCatalogProcess, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { aFailedRun } from '../support/run-once.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const synced = temporaryFolder()
beforeAll(async () => {
  await withStoresOf(synced, ({ catalog }) => catalog.put('skills', [aSkill({ repo: 'a' }), aSkill({ repo: 'b' })]))
  await runCatalog(synced, ['sync'])
})

/** A data folder with two skills, which are indexed. */
function syncedFolder(): string {
  const folder = temporaryFolder()
  cpSync(synced, folder, { recursive: true })
  return folder
}

/** Digest and rights of each file, without the memory that readers of SQLite share, and the empty logs that they leave. */
const contentOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => !(name.endsWith('-shm') || (name.endsWith('-wal') && statSync(join(folder, name)).size === 0)))
    .map((name) => {
      const path = join(folder, name)
      const { mode } = statSync(path)
      const digest = statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder'
      return `${name} ${mode} ${digest}`
    })

describe('doctor on a folder', () => {
  test('ends with 0 where all is fine, and changes nothing', async () => {
    // In processes of their own: a connection of this one is closed when its statements are collected as garbage.
    const folder = temporaryFolder()
    await runCatalogProcess(folder, ['seed', '--skills', '2'])
    // The last connection that closes a file moves its log into it: that of a command with one thread.
    await runCatalogProcess(folder, ['status'])
    const before = contentOf(folder)

    const { status, stdout } = await runCatalogProcess(folder, ['doctor'])

    expect(status).toBe(0)
    expect(stdout).toMatch(/^ok {2}search index: up to date with 2 skills, last sync \S+Z$/m)
    expect(stdout).toMatch(/\nNo findings\.\n$/)
    expect(contentOf(folder)).toEqual(before)
  })

  test('does not create the folder', async () => {
    const folder = join(temporaryFolder(), 'data')

    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect([status, json]).toMatchObject([0, { findings: 0, unchecked: 0 }])
    expect(() => statSync(folder)).toThrow('ENOENT')
  })

  test('lists each bad setting, with 2 since the rest cannot be checked', async () => {
    const { status, json } = await runInProcess(
      { PORT: 'x', LOG_LEVEL: 'loud', METRICS_PORT: 'x' },
      ['doctor', '--json'],
      '',
    )

    expect([status, json]).toMatchObject([2, { command: 'doctor', findings: 3, unchecked: 1 }])
    expect(findingsIn(json).map(({ detail }) => detail)).toEqual([
      expect.stringContaining('LOG_LEVEL'),
      expect.stringContaining('PORT'),
      expect.stringContaining('METRICS_PORT'),
      expect.any(String),
    ])
  })

  test('finds failed and paused jobs, and dead letters', async () => {
    const folder = syncedFolder()
    const at = '2026-01-01T00:00:00.000Z'
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.writeState(stateKeys.job('write-exports'), aFailedRun)
      await catalog.writeState(stateKeys.pausedJobs, ['reconcile'])
      await catalog.keepDeadLetters([{ id: 'acme/bad', reason: 'too long', since: at, source: 'index' }], aLock())
    })
    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect(status).toBe(1)
    expect(findingsIn(json)).toMatchObject([
      {
        name: 'job write-exports',
        detail: expect.stringContaining('the disk is full'),
        remedy: expect.stringContaining('jobs retry write-exports'),
      },
      { name: 'job reconcile', remedy: expect.stringContaining('jobs resume reconcile') },
      { name: 'dead letters', detail: expect.stringContaining('acme/bad: too long') },
    ])
  })

  test('finds changes that have not been indexed for more than a minute', async () => {
    const folder = syncedFolder()
    await withStoresOf(folder, ({ catalog }) => catalog.put('skills', [aSkill({ repo: 'late' })]))
    const fresh = await runCatalog(folder, ['doctor', '--json'])
    const db = new SqliteDatabase(join(folder, 'catalog.db'))
    db.run("UPDATE skills SET changed_at = '2026-01-01T00:00:00.000Z' WHERE id = 'acme/late'")
    db.close()

    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect(fresh.status).toBe(0)
    expect(status).toBe(1)
    expect(findingsIn(json)).toMatchObject([
      {
        name: 'search index',
        detail: expect.stringMatching(/^1 changes? to be indexed/),
        remedy: expect.stringContaining('sync'),
      },
    ])
  })

  test('finds a search index that lacks skills', async () => {
    const folder = syncedFolder()
    await withStoresOf(folder, ({ replicas: [index] }) =>
      index.apply({ publish: [], remove: ['acme/a'] }, 'live', aLock()),
    )

    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect(status).toBe(1)
    expect(findingsIn(json)).toMatchObject([{ name: 'search index', remedy: expect.stringContaining('verify') }])
  })

  test('finds a service that does not answer', async () => {
    const folder = syncedFolder()
    const startedAt = new Date().toISOString()
    await withStoresOf(folder, ({ catalog }) =>
      catalog.writeState(stateKeys.service, { pid: process.pid, url: 'http://127.0.0.1:1', startedAt }),
    )

    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect(status).toBe(1)
    expect(findingsIn(json)).toMatchObject([
      { name: 'service', detail: expect.stringContaining('http://127.0.0.1:1 does not answer') },
    ])
  })

  test('reads a folder in which a file is gone before it is checked', async () => {
    const folder = syncedFolder()
    // Listed, and not there.
    symlinkSync('gone', join(folder, 'work'))

    const { stdout } = await runCatalog(folder, ['doctor'])

    expect(stdout).toContain(`${folder} can be read and written`)
  })

  test.each([
    [999, 'Update'],
    [9, 'catalog -- sync'],
  ])('finds a catalog of another version, format %i, and leaves it', async (format, remedy) => {
    const folder = syncedFolder()
    const db = new SqliteDatabase(join(folder, 'catalog.db'))
    db.exec(`PRAGMA user_version = ${format}`)
    db.close()

    const { status, json } = await runCatalog(folder, ['doctor', '--json'])

    expect(status).toBe(2)
    expect(findingsIn(json)).toMatchObject([
      { name: 'format', remedy: expect.stringContaining(remedy) },
      { state: 'unchecked' },
    ])
  })

  test('finds a file in the place of the folder, and a damaged catalog', async () => {
    const file = join(temporaryFolder(), 'data')
    writeFileSync(file, '')
    const damaged = temporaryFolder()
    writeFileSync(join(damaged, 'catalog.db'), 'no database at all, but some text '.repeat(100))

    expect(findingsIn((await runCatalog(file, ['doctor', '--json'])).json)).toMatchObject([
      { name: 'data folder', detail: expect.stringContaining('is a file') },
      { state: 'unchecked' },
    ])
    expect(findingsIn((await runCatalog(damaged, ['doctor', '--json'])).json)).toMatchObject([
      { name: 'format', detail: expect.stringContaining('damaged') },
      { state: 'unchecked' },
    ])
  })

  // root may read and write everything.
  const testAsUser = process.getuid?.() === 0 ? test.skip : test

  testAsUser('finds a folder without the right to write', async () => {
    const folder = join(temporaryFolder(), 'data')
    mkdirSync(folder)
    chmodSync(folder, 0o500)

    const { json } = await runCatalog(folder, ['doctor', '--json'])

    expect(findingsIn(json)).toMatchObject([{ name: 'data folder' }, { state: 'unchecked' }])
  })
})

test('versions are compared by their numbers', () => {
  expect(checkNode('18.19.1')).toMatchObject({ state: 'finding', detail: '18.19.1 is too old' })
  expect(checkNode('20.19.0').state).toBe('fine')
  expect(isAtLeast('v1.50.0', '1.18')).toBe(true)
  expect(isAtLeast('1.9.3', '1.18')).toBe(false)
  expect(isAtLeast('8.0', '8.0.1')).toBe(false)
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const namesOf = (checks: Check[]) => checks.map(({ name }) => name)

    testWithOwnRedis('doctor on servers finds wrong settings, no indexer, and servers that do not answer', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      await runOnServers(env, ['sync', '--local'])
      const { json: good } = await runOnServers(env, ['doctor', '--json'])

      const client = new Meilisearch({ host: env.MEILI_URL, apiKey: meiliKey })
      await client
        .index('skills')
        .updateSettings({ rankingRules: ['words'] })
        .waitTask()
      const redis = new Redis(env.REDIS_URL)
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
      redis.disconnect()
      const { status, json: bad } = await runOnServers(env, ['doctor', '--json'])

      expect(namesOf(checksIn(good))).toEqual(
        expect.arrayContaining([
          'MongoDB',
          'clock of MongoDB',
          'Meilisearch',
          'index settings',
          'Redis',
          'clock of Redis',
        ]),
      )
      expect(namesOf(findingsIn(good)).filter((name) => name !== 'change streams')).toEqual(['indexer'])
      expect(status).toBe(1)
      expect(findingsIn(bad)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'index settings', detail: expect.stringContaining('rankingRules') }),
          expect.objectContaining({ name: 'eviction', detail: expect.stringContaining('allkeys-lru') }),
        ]),
      )

      const none = await runInProcess(
        {
          ...env,
          MEILI_URL: 'http://127.0.0.1:1',
          REDIS_URL: 'redis://127.0.0.1:1',
          RATE_LIMIT_REDIS_URL: env.MEILI_URL.replace('http', 'redis'),
        },
        ['doctor', '--json'],
        '',
      )
      const refused = 'does not answer. Cause: connect ECONNREFUSED 127.0.0.1:1'
      expect(none.status).toBe(2)
      expect(findingsIn(none.json)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'Meilisearch', state: 'finding', detail: refused }),
          expect.objectContaining({
            name: 'Redis',
            state: 'finding',
            detail: refused,
            remedy: expect.stringContaining(' REDIS_URL'),
          }),
          expect.objectContaining({
            name: 'Redis of the limits',
            detail: expect.stringMatching(/^does not answer\. Cause: /),
            remedy: expect.stringContaining('RATE_LIMIT_REDIS_URL'),
          }),
        ]),
      )
      const { json: wrong } = await runOnServers({ ...env, MEILI_KEY: 'wrong' }, ['doctor', '--json'])
      expect(findingsIn(wrong)).toContainEqual(
        expect.objectContaining({ name: 'Meilisearch', detail: expect.stringContaining('MEILI_KEY') }),
      )
    })
  })
})
