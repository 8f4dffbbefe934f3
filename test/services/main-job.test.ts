import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type Collection, MongoClient, ObjectId } from 'mongodb'
import { runCatalogOn } from '../support/catalog-command.js'
import { expectFilesOnRequest } from '../support/first-download.js'
import { fileOf, line } from '../support/import-input.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runInProcess, withStoresOf } from '../support/run-catalog.js'
import { meiliKey, whenServer } from '../support/servers.js'
import {
  endServices,
  greetingEnd,
  type ServiceProcess,
  serviceStart,
  sharedService,
} from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const highLimits = { EXPORT_RATE_LIMIT_PER_MINUTE: '10000', RATE_LIMIT_PER_MINUTE: '10000' }

/** A limit that only a failure reaches, also on a busy machine. */
const timeoutMs = 180_000

whenServer('mongodb', (mongodb) => {
  whenServer('redis', (redis) => {
    whenServer('meilisearch', (meilisearch) => {
      const clients: MongoClient[] = []
      afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))

      const newEnv = () => ({
        MONGODB_URL: freshDatabase(mongodb()),
        MEILI_URL: meilisearch(),
        MEILI_KEY: meiliKey,
        REDIS_URL: redis(),
        TRUSTED_PROXIES: '1',
        LOG_LEVEL: 'error',
      })

      /** The skills as a crawler sees them: a collection that it writes documents to. */
      async function crawler(env: { MONGODB_URL: string }): Promise<Collection> {
        const client = await MongoClient.connect(env.MONGODB_URL)
        clients.push(client)
        return client.db().collection('skills')
      }

      describe('an indexer and two query services', () => {
        const shared = sharedService(async () => {
          const env = { ...newEnv(), ...highLimits }
          const services = [
            serviceStart('indexer', env),
            serviceStart('query', env),
            serviceStart('query', env),
          ] as const
          await Promise.all(services.map((service) => service.says(greetingEnd)))
          return { env, services }
        })

        test(
          'the writes of a crawler reach a mirror of the catalog, through any query service',
          async () => {
            const {
              env,
              services: [, one, other],
            } = shared()
            const skills = await crawler(env)
            const folder = temporaryFolder()
            const mirror = async () =>
              (await runCatalogOn(env, ['mirror', one.url(), folder, '--verify', '--json'])).json
            const mirrored = () =>
              withStoresOf(folder, async ({ catalog }) =>
                (await catalog.scanSkills(null, 100)).map(({ id, stars }) => [id, stars]),
              )

            await skills.insertMany([
              { owner: 'Acme', repo: 'one', stars: 1, note: 'private' },
              { owner: 'Acme', repo: 'two', stars: 2 },
              { owner: 'Acme', repo: 'secret', hidden: true },
            ])
            await untilListed(other.url(), ['acme/one', 'acme/two'])
            expect(await mirror()).toMatchObject({ status: 0, skills: 2, verified: { compared: 2 } })
            expect(await mirrored()).toEqual([
              ['acme/one', 1],
              ['acme/two', 2],
            ])

            await skills.updateOne({ repo: 'one' }, { $set: { stars: 5, updatedAt: new Date() } })
            await skills.updateOne({ repo: 'two' }, { $set: { state: 'removed', updatedAt: new Date() } })
            await skills.insertOne({ owner: 'acme', repo: 'three', stars: 3 })
            await untilListed(other.url(), ['-acme/two', 'acme/one', 'acme/three'])
            expect(await mirror()).toMatchObject({ status: 0, verified: { missing: 0, extra: 0, different: 0 } })
            expect(await mirrored()).toEqual([
              ['acme/one', 5],
              ['acme/three', 3],
            ])
          },
          timeoutMs,
        )

        test(
          'documents that a crawler writes to MongoDB are found, listed and removed through two query services',
          async () => {
            const { env, services } = shared()
            const [, ...queries] = services
            const skills = await crawler(env)
            await skills.deleteMany({})
            const everywhere = (path: string, wanted: unknown) =>
              Promise.all(queries.map((query) => untilAnswered(query, path, wanted)))

            const { insertedId } = await skills.insertOne({
              full_name: 'Acme/PDF-Reader',
              description: 'Reads crumpled invoices',
              stargazers_count: '12',
              topics: 'pdf, ocr',
              pushed_at: 'some day',
              extra: { of: 'no concern' },
            })
            await skills.insertOne({ _id: new ObjectId(), owner: 'acme', repo: 'other', hidden: true, stars: 1 })
            await skills.insertOne({ owner: 'no repository' })
            await everywhere('/api/v1/skills/search?q=crumpled', { data: [{ id: 'acme/pdf-reader', stars: 12 }] })
            await everywhere('/api/skills', { pagination: { total: 1 } })
            await everywhere('/api/skills/acme/other', { status: 404 })

            await skills.updateOne(
              { _id: insertedId },
              { $set: { description: 'Reads smooth invoices', updatedAt: new Date() } },
            )
            await everywhere('/api/v1/skills/search?q=smooth', { data: [{ description: 'Reads smooth invoices' }] })
            await everywhere('/api/v1/skills/search?q=crumpled', { data: [] })

            await skills.replaceOne(
              { _id: insertedId },
              { full_name: 'acme/scan-reader', formerIds: ['acme/pdf-reader'] },
            )
            await everywhere('/api/v1/skills/search?q=scan', { data: [{ id: 'acme/scan-reader' }] })
            await everywhere('/api/skills/acme/pdf-reader', { status: 308 })
            await everywhere('/api/v1/skills/search?q=smooth', { data: [] })

            await skills.updateOne({ _id: insertedId }, { $set: { deleted: true, updatedAt: new Date() } })
            await everywhere('/api/skills/acme/scan-reader', { status: 410 })
            await everywhere('/api/v1/skills/search?q=scan', { data: [] })
            // The document without a repository can't be published, and is reported.
            expect((await runCatalogOn(env, ['verify', '--json'])).json).toMatchObject({
              status: 1,
              compared: 0,
              missing: 0,
              extra: 0,
              different: 0,
              rejected: 1,
            })

            await endServices(...services)
          },
          timeoutMs,
        )
      })

      // The indexers of other tests would take its jobs from a Redis that they share.
      testWithOwnRedis(
        // The schedule of the exports is paused. The others were made of the empty catalog before.
        'an empty catalog has files for the first download, and dataset and history for the first import',
        async () => {
          const env = { ...newEnv(), REDIS_URL: (await startOwnRedis()).url, ...highLimits }
          expect((await runInProcess(env, ['jobs', 'pause', 'write-exports'], '')).status).toBe(0)
          const [indexer, query] = [serviceStart('indexer', env), serviceStart('query', env)]
          await Promise.all([indexer, query].map((service) => service.says(greetingEnd)))
          await expectFilesOnRequest(query)

          const lastRuns = async () => {
            const { json } = await runInProcess(env, ['jobs', '--json'], '')
            const jobs = json['jobs'] as { name: string; lastRun: { outcome: string; result: unknown } | null }[]
            return Object.fromEntries(jobs.map(({ name, lastRun }) => [name, lastRun]))
          }
          const untilDataset = async (skills: number) => {
            for (;;) {
              const { 'write-dataset': run } = await lastRuns()
              if (run?.outcome === 'succeeded' && Object(run.result).skills === skills) {
                return
              }
              await sleep(200)
            }
          }
          await untilDataset(0)
          const file = fileOf('skills.ndjson', line('one') + line('two'))

          expect((await runCatalogOn(env, ['import', file, '--type', 'skills'])).status).toBe(0)

          await untilDataset(2)
          await untilAnswered(query, '/api/v1/stats/history', { data: [{ skills: 2 }] })
        },
        timeoutMs,
      )
    })
  })
})

/** Repeats the request until the response has these members; a status is compared with that of the response. */
async function untilAnswered(service: ServiceProcess, path: string, wanted: unknown): Promise<void> {
  let turn = 0
  for (;;) {
    turn += 1
    // Each time as another client, or the rate limit would refuse the requests.
    const client = `2001:db8:${process.pid.toString(16)}:${turn.toString(16)}::1`
    const response = await fetch(`${service.url()}${path}`, {
      redirect: 'manual',
      headers: { 'X-Forwarded-For': client },
    })
    const text = await response.text()
    const answer = { status: response.status, ...(text === '' ? {} : JSON.parse(text)) }
    try {
      expect(answer).toMatchObject(wanted as Record<string, unknown>)
      return
    } catch (error) {
      if (turn > 600) {
        throw error
      }
    }
    await sleep(100)
  }
}

/** Resolves when the changes from the start list exactly these, in any order. */
async function untilListed(url: string, wanted: string[]): Promise<void> {
  for (let listed: string[] = []; listed.join() !== wanted.join(); await sleep(200)) {
    // No change is listed before the first run has logged all skills.
    const { data = [] } = (await (await fetch(`${url}/api/v1/changes`)).json()) as {
      data?: { id: string; change: string }[]
    }
    listed = data.map(({ id, change }) => (change === 'removed' ? `-${id}` : id)).sort((a, b) => (a < b ? -1 : 1))
  }
}
