import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { checksIn, findingsIn } from '../support/doctor-checks.js'
import { freePort } from '../support/local-server.js'
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
        const metricsPort = String(await freePort())
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
            totals.add((await answer.json()).total)
          }
        })
        const indexer = serviceStart('indexer', { ...env, METRICS_PORT: metricsPort })
        await indexer.says(greetingEnd)
        const metrics = async (sample: string) => {
          for (;;) {
            const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text())
            if (text.includes(sample)) {
              return
            }
            await sleep(200)
          }
        }
        await metrics(`catalog_index_server_lag_changes{server="${other.url}"} 0`)
        const { json: good } = await runOnServers(env, ['doctor', '--json'])
        expect(checksIn(good).map(({ name }) => name)).toEqual(
          expect.arrayContaining([one, other].map(({ url }) => `search index at ${url}`)),
        )
        expect(findingsIn(good).filter(({ name }) => name !== 'change streams')).toEqual([])

        await one.kill()
        await metrics(`catalog_index_server_up{server="${one.url}"} 0`)
        await sleep(1_000)
        const status = await runOnServers(env, ['status', '--json'])
        const { json: bad } = await runOnServers(env, ['doctor', '--json'])
        const verified = await runOnServers(env, ['verify', '--json'])
        isStopped = true
        await Promise.all(searching)

        expect(verified).toMatchObject({ status: 1, json: { unavailable: one.url, missing: 0 } })
        expect([...statuses]).toEqual([200])
        expect(totals.size).toBe(1)
        const documents = Object(status.json['skills']).index
        expect(status.json).toMatchObject({
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
