import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { freePort } from '../support/local-server.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { startTcpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { awayServers, endServices, greetingEnd, serviceStart } from '../support/service-process.js'

test.each(['query', 'indexer'] as const)(
  'the %s service waits for MongoDB, logs it, is alive but not ready, and can be stopped',
  async (name) => {
    const port = String(await freePort())
    const service = serviceStart(name, { ...awayServers, METRICS_PORT: port })
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

    await service.says('waiting for MongoDB')
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503])
    await endServices(service)

    expect(service.stderr()).toContain('127.0.0.1:1')
    expect(service.stderr()).not.toContain('secret')
  },
)

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'both services start without Meilisearch; documents are ingested, and the index follows when it is up',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const relay = await startTcpRelay(meilisearch())
        await relay.cut()
        const indexer = serviceStart('indexer', { ...env, MEILI_URL: relay.url })
        const query = serviceStart('query', { ...env, MEILI_URL: relay.url })
        await indexer.says('searches wait for Meilisearch')
        await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
        expect((await fetch(`${query.url()}/healthz`)).status).toBe(200)
        const client = await MongoClient.connect(env.MONGODB_URL)
        try {
          await client.db().collection('skills').insertOne({ owner: 'acme', repo: 'label-printer' })
        } finally {
          await client.close()
        }
        // Seldom enough for the limit of a client.
        const idsAt = async (path: string) => {
          for (;;) {
            const { data } = Object(await (await fetch(`${query.url()}${path}`)).json())
            if (data?.length > 0) {
              return data.map((skill: object) => Object(skill).id)
            }
            await sleep(1_000)
          }
        }

        expect(await idsAt('/api/skills')).toEqual(['acme/label-printer'])
        const search = await fetch(`${query.url()}/api/v1/skills/search?q=label`)
        expect([search.status, await search.json()]).toMatchObject([503, { code: 'search_unavailable' }])

        await relay.heal()
        expect(await idsAt('/api/v1/skills/search?q=label')).toEqual(['acme/label-printer'])
      },
    )

    testWithOwnRedis('both services start without Redis, and jobs once it is available', async () => {
      const redis = await startOwnRedis()
      await redis.kill()
      const env = {
        MONGODB_URL: freshDatabase(mongodb()),
        MEILI_URL: meilisearch(),
        MEILI_KEY: meiliKey,
        REDIS_URL: redis.url,
      }
      const [indexer, query] = [serviceStart('indexer', env), serviceStart('query', env)]
      await indexer.says('jobs wait: Redis does not answer')
      await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
      expect((await fetch(`${query.url()}/api/skills`)).status).toBe(200)

      await redis.start()

      await indexer.says('"job":"write-exports"')
    })
  })
})
