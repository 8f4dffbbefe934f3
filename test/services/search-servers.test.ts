import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { checksIn, findingsIn } from '../support/doctor-checks.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnMeilisearch, testWithOwnMeilisearch } from '../support/own-servers.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { runOnServers } from '../support/servers-catalog.js'
import { greetingEnd, serviceStart } from '../support/service-process.js'

whenServer('mongodb', (mongodb) => {
  whenServer('redis', (redis) => {
    testWithOwnMeilisearch(
      'one of two search servers is added and lost: searches go on, and operators see which one',
      async () => {
        const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
        const single = {
          MONGODB_URL: freshDatabase(mongodb()),
          MEILI_URL: one.url,
          MEILI_KEY: meiliKey,
          REDIS_URL: redis(),
        }
        expect(await runOnServers(single, ['import', 'infra/sample/skills.ndjson', '--type', 'skills'])).toMatchObject({
          status: 0,
        })
        const env = { ...single, MEILI_URL: `${one.url}, ${other.url}/` }

        const query = serviceStart('query', { ...env, RATE_LIMIT_PER_MINUTE: '1000000' })
        await query.says(greetingEnd)
        let isStopped = false
        const statuses = new Set<number>()
        const totals = new Set<number>()
        const searching = Array.from({ length: 4 }, async (_, loop) => {
          for (let at = 0; !isStopped; at += 1) {
            // Each one another search: none is answered from memory.
            const answer = await fetch(
              `${query.url()}/api/v1/skills/search?q=pdf&mode=keyword&limit=${1 + ((at * 4 + loop) % 100)}`,
            )
            statuses.add(answer.status)
            totals.add((await answer.json()).pagination.total)
            await sleep(20)
          }
        })
        const indexer = serviceStart('indexer', env)
        await indexer.says(greetingEnd)
        const status = () => runOnServers(env, ['status', '--json'])
        while (Object(await status()).json.indexServers[1].pending?.count !== 0) {
          await sleep(200)
        }
        const { json: good } = await runOnServers(env, ['doctor', '--json'])
        expect(checksIn(good).map(({ name }) => name)).toEqual(
          expect.arrayContaining([one, other].map(({ url }) => `search index at ${url}`)),
        )
        expect(findingsIn(good).filter(({ name }) => name !== 'change streams')).toEqual([])

        await one.kill()
        await sleep(1_000)
        const { json: lost } = await status()
        const { json: bad } = await runOnServers(env, ['doctor', '--json'])
        const verified = await runOnServers(env, ['verify', '--json'])
        isStopped = true
        await Promise.all(searching)

        expect(verified).toMatchObject({ status: 1, json: { unavailable: one.url, missing: 0 } })
        expect([...statuses]).toEqual([200])
        expect(totals.size).toBe(1)
        const documents = Object(lost['skills']).index
        expect(lost).toMatchObject({
          dependencies: { search: 'up' },
          indexServers: [
            { address: one.url, documents: null },
            { address: other.url, documents, pending: { count: 0 } },
          ],
        })
        expect(findingsIn(bad)).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              name: `Meilisearch at ${one.url}`,
              detail: expect.stringMatching(/^does not answer\. Cause: connect ECONNREFUSED/),
            }),
          ]),
        )
        expect(query.stderr() + query.stdout()).toContain(`"address":"${one.url}"`)
      },
      180_000,
    )
  })
})
