import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { stateKeys } from '../../shared/state-keys.js'
import { afterTest } from '../support/after-test.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers, type ServersEnvironment, untilQueue } from '../support/servers-catalog.js'
import { greetingEnd, type ServiceProcess, serviceStart } from '../support/service-process.js'

/** An indexer whose scheduled sync runs at its start only. */
async function startIndexer(env: ServersEnvironment): Promise<ServiceProcess> {
  const indexer = serviceStart('indexer', { ...env, SYNC_EVERY_SECONDS: '86400' })
  await indexer.says(greetingEnd)
  return indexer
}

const importSkills = (env: ServersEnvironment, count: number) =>
  runOnServers(
    env,
    ['import', '-', '--type', 'skills', '--format', 'ndjson', '--no-update'],
    Array.from({ length: count }, (_, place) => `{"owner":"acme","repo":"s${place}","stars":${place}}\n`).join(''),
  )

async function withDatabase<T>(env: ServersEnvironment, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(env.MONGODB_URL)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const begin = async () => emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)

    testWithOwnRedis('commands trigger runs in the indexer, and print results', async () => {
      const env = await begin()
      await importSkills(env, 3)
      const indexer = await startIndexer(env)

      const sync = await runOnServers(env, ['sync', '--json'])
      const rebuild = await runOnServers(env, ['rebuild', '--json'])
      const stats = await runOnServers(env, ['stats'])
      const files = await runOnServers(env, ['export', '--json'])
      const verify = await runOnServers(env, ['verify', '--json'])
      const jobs = await runOnServers(env, ['jobs', '--json'])
      const table = await runOnServers(env, ['jobs'])

      expect(sync.json).toMatchObject({ command: 'sync', status: 0, rejected: 0 })
      expect(rebuild.json).toMatchObject({ command: 'rebuild', status: 0, documents: 3 })
      expect(indexer.stderr() + indexer.stdout()).toContain('"job":"rebuild-index","result":{"documents":3')
      expect(stats.stdout).toMatch(/^compute-stats: 3 skills, .* \(\d+\.\d s\)\n$/)
      expect(files.json).toMatchObject({ status: 0, files: 9, rows: 4 })
      expect(verify.json).toMatchObject({ status: 0, compared: 3, missing: 0, extra: 0, different: 0 })
      expect([sync, rebuild, stats, files, verify].map(({ status, stderr }) => [status, stderr])).toEqual(
        Array(5).fill([0, '']),
      )
      expect(jobs.json).toMatchObject({ status: 0, indexers: 1 })
      const rows = jobs.json['jobs'] as { name: string; nextRunAt: string | null }[]
      expect(rows.find(({ name }) => name === 'ingest')).toMatchObject({
        everySeconds: 86_400,
        paused: false,
        waiting: 0,
        failed: 0,
        lastRun: { outcome: 'succeeded' },
        nextRunAt: expect.any(String),
      })
      expect(rows.find(({ name }) => name === 'rebuild-index')?.nextRunAt).toBeNull()
      expect(table.stdout).toMatch(
        /^job +every +last run +outcome +last success +next run +waiting +failed\ningest +1 d +\S+Z +succeeded/,
      )
      expect(table.stdout).toMatch(/\n1 indexer is connected\.\n$/)
    })

    testWithOwnRedis('findings of a run in the indexer are printed, and dead letters are retried', async () => {
      const env = await begin()
      await importSkills(env, 1)
      await withDatabase(env, (client) =>
        client.db().collection('skills').insertOne({ owner: 'acme', repo: 'bad', state: 'gone' }),
      )
      await startIndexer(env)

      const verified = await runOnServers(env, ['verify', '--json'])
      const listed = await runOnServers(env, ['jobs', 'dead-letters', '--json'])
      const retried = await runOnServers(env, ['jobs', 'dead-letters', '--retry'])
      // Else it would be read at once, and its letter dropped.
      await runOnServers(env, ['jobs', 'pause', 'ingest'])
      await withDatabase(env, (client) =>
        client
          .db()
          .collection('skills')
          .updateOne({ repo: 'bad' }, { $set: { state: 'published' } }),
      )
      const corrected = await runOnServers(env, ['jobs', 'dead-letters', '--retry', '--json'])

      expect([verified.status, verified.json]).toMatchObject([1, { rejected: 1 }])
      expect(verified.stderr).toMatch(/^acme\/bad: cannot be published as it is stored: state: /)
      expect(listed.json).toMatchObject({ status: 0, deadLetters: [{ id: 'acme/bad' }], more: false })
      expect([retried.status, retried.stdout]).toEqual([
        1,
        expect.stringMatching(/^retry-dead-letters: 1 tried, 0 published, 0 removed, 1 rejected \(/),
      ])
      expect(corrected.json).toMatchObject({ status: 0, tried: 1, published: 1, rejected: 0 })
    })

    testWithOwnRedis('without an indexer commands fail at once, and work with --local', async () => {
      const env = await begin()
      const seed = await runOnServers(env, ['seed', '--skills', '50', '--no-update', '--json'])

      const sync = await runOnServers(env, ['sync', '--json'])
      const local = await runOnServers(env, ['sync', '--local', '--json'])
      const stats = await runOnServers(env, ['stats', '--local', '--json'])
      const jobs = await runOnServers(env, ['jobs'])

      expect([sync.status, sync.json]).toMatchObject([2, { command: 'sync', error: { code: 'no_indexer' } }])
      expect(sync.stderr).toMatch(/^No indexer is connected .*npm run start:indexer, or add --local .*\n$/)
      expect(seed.json).toMatchObject({ command: 'seed', status: 0, skills: { added: 50 } })
      expect(local.json).toMatchObject({ status: 0, published: 50 })
      expect(stats.json).toMatchObject({ command: 'stats', status: 0, skills: 50 })
      expect(jobs.stdout).toContain('\nNo indexer is connected: ')
    })

    testWithOwnRedis('without Meilisearch jobs can be listed and paused, and a sync reports it', async () => {
      const env = { ...(await begin()), MEILI_URL: 'http://127.0.0.1:1' }

      const paused = await runOnServers(env, ['jobs', 'pause', 'sync-index'])
      const shown = await runOnServers(env, ['jobs'])
      const local = await runOnServers(env, ['sync', '--local'])

      expect([paused.status, paused.stdout]).toEqual([0, 'Paused: sync-index\n'])
      expect(shown.stdout).toMatch(/\nsync-index .* paused /)
      expect([local.status, local.stderr]).toEqual([
        2,
        'Meilisearch does not answer at http://127.0.0.1:1: is it up?\n',
      ])
    })

    testWithOwnRedis(
      'where Meilisearch refuses the key, status says so and shows the rest, and hide works',
      async () => {
        const env = { ...(await begin()), MEILI_KEY: 'wrong' }
        await importSkills(env, 1)

        const hide = await runOnServers(env, ['hide', 'acme/s0'])
        const status = await runOnServers(env, ['status'])

        expect([hide.status, hide.stdout]).toEqual([0, expect.stringContaining('acme/s0 is hidden.')])
        expect(hide.stderr).toContain('Meilisearch refuses the key: check MEILI_KEY. Then an indexer updates')
        expect(status.status).toBe(2)
        expect(status.stdout).toMatch(/\nunreadable +Meilisearch refuses the key: check MEILI_KEY\.\n/)
        expect(status.stdout).toMatch(/\nskills +0 stored, 0 in the change log, unknown indexed\n/)
      },
    )

    test('with the index of another catalog an import reports what it has written, and leaves the index', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), 'redis://127.0.0.1:1')
      await importSkills(env, 1)
      await runOnServers(env, ['sync', '--local'])
      const other = { ...env, MONGODB_URL: freshDatabase(mongodb()) }

      const source = ['import', '-', '--type', 'skills', '--format', 'ndjson']
      const { status, stdout, stderr } = await runOnServers(other, source, '{"full_name": "acme/other"}')

      expect([status, stdout]).toEqual([0, expect.stringMatching(/^1 skill read: 1 added/)])
      expect(stderr).toContain('Check MONGODB_URL and MEILI_URL; if they are right, run npm run catalog -- rebuild')
      expect((await runOnServers(env, ['status'])).stdout).toContain(', 1 indexed\n')
    })

    test('without Redis commands report it, and work with --local', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), 'redis://127.0.0.1:1')
      await importSkills(env, 2)

      const sync = await runOnServers(env, ['sync'])
      const jobs = await runOnServers(env, ['jobs', '--json'])
      const local = await runOnServers(env, ['sync', '--local', '--json'])

      expect([sync.status, sync.stderr]).toEqual([2, expect.stringMatching(/^The job queue does not answer: .*Redis/)])
      expect([jobs.status, jobs.json]).toMatchObject([
        2,
        { faults: [expect.stringContaining('The job queue does not answer')], jobs: expect.any(Array) },
      ])
      expect(local.json).toMatchObject({ status: 0, published: 2 })
    })

    testWithOwnRedis('Ctrl-C ends the command, not the run', async () => {
      const env = await begin()
      await startIndexer(env)
      const catalog = await openMongoCatalog(env.MONGODB_URL)
      afterTest(() => catalog.close())
      // While another process holds its lock, a triggered run does not end.
      const held = await catalog.lock('rebuild-index')
      expect(held).not.toBeNull()
      const command = startCatalogOn(env, ['rebuild', '--json'])
      await untilQueue(env, 'rebuild-index', async (queue) => (await queue.getActiveCount()) > 0)

      command.signal('SIGINT')
      const { status, stderr, json } = await command.ended

      expect([status, json]).toMatchObject([2, { error: { code: 'following_stopped' } }])
      expect(stderr).toBe('rebuild-index continues in the indexer; npm run catalog -- jobs shows its outcome.\n')
      await held?.release()
      await untilQueue(env, 'rebuild-index', async (queue) => (await queue.getCompletedCount()) === 1)
      expect(await catalog.readState(stateKeys.job('rebuild-index'))).toMatchObject({ outcome: 'succeeded' })
    })
  })
})
