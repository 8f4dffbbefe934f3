import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { greetingEnd, serviceStart } from '../support/service-process.js'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'the first download asks an indexer for the files, even while their schedule is paused',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const paused = await runOnServers(env, ['jobs', 'pause', 'write-exports'])
        expect(paused.status).toBe(0)
        const indexer = serviceStart('indexer', env)
        const query = serviceStart('query', { ...env, EXPORT_RATE_LIMIT_PER_MINUTE: '10000' })
        await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
        const download = async () => (await fetch(`${query.url()}/api/v1/export?type=skills`)).status

        expect(await download()).toBe(503)

        while ((await download()) !== 200) {
          await sleep(500)
        }
      },
    )
  })
})
