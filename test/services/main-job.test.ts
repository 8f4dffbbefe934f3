import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { type Collection, MongoClient, ObjectId } from 'mongodb'
import { runCatalogOn } from '../support/catalog-command.js'
import { expectFilesOnRequest } from '../support/first-download.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runInProcess } from '../support/run-catalog.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { endServices, greetingEnd, type ServiceProcess, serviceStart } from '../support/service-process.js'

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

      test(
        'documents that a crawler writes to MongoDB are found, listed and removed through two query services',
        async () => {
          const env = { ...newEnv(), ...highLimits }
          const queries = [serviceStart('query', env), serviceStart('query', env)]
          const services = [serviceStart('indexer', env), ...queries]
          await Promise.all(services.map((service) => service.says(greetingEnd)))
          const skills = await crawler(env)
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

      // The indexers of other tests would take its jobs from a Redis that they share.
      testWithOwnRedis(
        // The schedule of the exports is paused.
        'an empty catalog has files for the first download',
        async () => {
          const env = { ...newEnv(), REDIS_URL: (await startOwnRedis()).url, ...highLimits }
          expect((await runInProcess(env, ['jobs', 'pause', 'write-exports'], '')).status).toBe(0)
          const [indexer, query] = [serviceStart('indexer', env), serviceStart('query', env)]
          await Promise.all([indexer, query].map((service) => service.says(greetingEnd)))
          await expectFilesOnRequest(query)
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
