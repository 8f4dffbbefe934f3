import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { type Collection, MongoClient, ObjectId } from 'mongodb'
import { runCatalogOn } from '../support/catalog-command.js'
import { fileOf, line } from '../support/import-input.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { runInProcess } from '../support/run-catalog.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { greetingEnd, type ServiceProcess, serviceStart } from '../support/service-process.js'

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
          const env = newEnv()
          const services = [
            serviceStart('indexer', env),
            serviceStart('query', env),
            serviceStart('query', env),
          ] as const
          await Promise.all(services.map((service) => service.says(greetingEnd)))
          const [, ...queries] = services
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

          for (const service of services) {
            service.signal('SIGTERM')
          }
          expect(await Promise.all(services.map((service) => service.ended))).toEqual([0, 0, 0])
        },
        timeoutMs,
      )

      // The indexers of other tests would take its jobs from a Redis that they share.
      testWithOwnRedis(
        'after the first import dataset and history have its records, though an indexer made them of the empty catalog',
        async () => {
          const env = { ...newEnv(), REDIS_URL: (await startOwnRedis()).url }
          const [indexer, query] = [serviceStart('indexer', env), serviceStart('query', env)]
          await Promise.all([indexer, query].map((service) => service.says(greetingEnd)))
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
