import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { runCatalogOn } from '../support/catalog-command.js'
import { freshDatabase } from '../support/mongo-database.js'
import { withStoresOf } from '../support/run-catalog.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { greetingEnd, serviceStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A limit that only a failure reaches, also on a busy machine. */
const timeoutMs = 180_000

whenServer('mongodb', (mongodb) => {
  whenServer('redis', (redis) => {
    whenServer('meilisearch', (meilisearch) => {
      test(
        'the writes of a crawler reach a mirror of the catalog, through any query service',
        async () => {
          const env = {
            MONGODB_URL: freshDatabase(mongodb()),
            MEILI_URL: meilisearch(),
            MEILI_KEY: meiliKey,
            REDIS_URL: redis(),
            LOG_LEVEL: 'error',
            RATE_LIMIT_PER_MINUTE: '100000',
          }
          const services = [
            serviceStart('indexer', env),
            serviceStart('query', env),
            serviceStart('query', env),
          ] as const
          const client = await MongoClient.connect(env.MONGODB_URL)
          try {
            await Promise.all(services.map((service) => service.says(greetingEnd)))
            const [, one, other] = services
            const skills = client.db().collection('skills')
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
          } finally {
            await client.close()
          }
        },
        timeoutMs,
      )
    })
  })
})

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
