import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { MongoClient } from 'mongodb'
import { untilAllJobsHaveRun } from '../bench/servers-bench.js'
import { afterTest } from '../support/after-test.js'
import { MongoCommands } from '../support/mongo-commands.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { startHttpRelay, startTcpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { serviceStart, started } from '../support/service-process.js'

const measuredSeconds = 20

/** What a run of the sync without work asks: whether the index is there, its number of documents, its settings. */
const requestsOfOneRun = 3

/** A document counts as perhaps written again for some seconds after its time of writing. */
const settledMs = 12_000

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'idle: an indexer asks MongoDB at most once a second, and Meilisearch once a minute',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const crawler = await MongoClient.connect(env.MONGODB_URL)
        afterTest(() => crawler.close())
        const relay = await startHttpRelay(meilisearch())
        const way = await startTcpRelay(env.MONGODB_URL)
        const commands = new MongoCommands()
        way.onRequest = (chunk, connection) => commands.read(chunk, connection)
        const skills = crawler.db().collection('skills')
        await skills.insertMany(
          Array.from({ length: 50 }, (_, n) => ({ owner: 'acme', repo: `r${n}`, updatedAt: new Date() })),
        )
        await started(serviceStart('indexer', { ...env, MONGODB_URL: way.url, MEILI_URL: relay.url }))
        const index = new Meilisearch({ host: meilisearch(), apiKey: meiliKey }).index('skills')
        while ((await index.getStats()).numberOfDocuments < 50) {
          await sleep(200)
        }
        await untilAllJobsHaveRun({ skills })
        await sleep(settledMs)

        commands.names.length = 0
        relay.requests.length = 0
        await sleep(measuredSeconds * 1_000)

        const { names } = commands
        const asked = {
          mongodb: names.length <= measuredSeconds ? 'seldom' : names,
          meilisearch: relay.requests.length <= requestsOfOneRun ? 'seldom' : relay.requests,
        }
        expect(asked).toEqual({ mongodb: 'seldom', meilisearch: 'seldom' })
        // It has not just stopped.
        expect(names).not.toEqual([])
      },
      300_000,
    )
  })
})
