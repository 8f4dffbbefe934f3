import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { freePort } from '../support/free-port.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { sampleFolder } from '../support/sample-folder.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { greetingEnd, nodeStart, serviceStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The URL of the metrics that a starting service prints. */
async function aMetricsPort() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    env: { METRICS_PORT: String(port) },
    get: async (path: string) => {
      const response = await fetch(`${url}${path}`)
      return { status: response.status, text: await response.text() }
    },
    /** Scrapes until the metrics have this. */
    until: async (sample: string | RegExp) => {
      for (;;) {
        const text = await (await fetch(`${url}/metrics`)).text()
        if (typeof sample === 'string' ? text.includes(sample) : sample.test(text)) {
          return text
        }
        await sleep(100)
      }
    },
  }
}

test('embedded: one port has the metrics of both services, and ends the start of another one', async () => {
  const pages = await aMetricsPort()
  const service = nodeStart({ ...pages.env, DATA_DIR: await sampleFolder() })
  await service.says(greetingEnd)
  await fetch(`${service.url()}/api/skills`)

  const text = await pages.until('catalog_job_runs_total{job="sync-index",outcome="succeeded"}')

  expect(text).toContain('catalog_http_requests_total{endpoint="list-skills",method="GET",status="200"} 1\n')
  expect(text).toContain('catalog_rate_limit_fallback_active 0\n')
  expect(text).toMatch(/^catalog_index_documents 300$/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m)
  expect((await pages.get('/readyz')).status).toBe(200)
  // The public port does not have them.
  expect((await fetch(`${service.url()}/metrics`)).status).toBe(404)

  const second = nodeStart({ ...pages.env, DATA_DIR: temporaryFolder(), LOG_LEVEL: 'fatal' })
  expect(await second.ended).toBe(2)
  expect(second.stderr()).toMatch(/^Port \d+ is in use\. Stop the program that listens there, or set METRICS_PORT\.\n$/)
  service.signal('SIGTERM')
  expect(await service.ended).toBe(0)
})

describe('on servers', () => {
  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      testWithOwnRedis(
        'each service has metrics of itself and its dependencies',
        async () => {
          const redis = await startOwnRedis()
          const env = {
            MONGODB_URL: freshDatabase(mongodb()),
            MEILI_URL: meilisearch(),
            MEILI_KEY: meiliKey,
            REDIS_URL: redis.url,
          }
          const [ofIndexer, ofQuery] = [await aMetricsPort(), await aMetricsPort()]
          const indexer = serviceStart('indexer', { ...env, ...ofIndexer.env })
          const query = serviceStart('query', { ...env, ...ofQuery.env })
          await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])

          await ofIndexer.until('catalog_job_runs_total{job="sync-index",outcome="succeeded"}')
          await ofIndexer.until(/^catalog_job_last_success_timestamp_seconds\{job="write-exports"\} \d/m)
          const jobs = await ofIndexer.until(/^catalog_index_lag_seconds \d/m)
          expect(jobs).toContain('catalog_job_queue_depth{job="sync-index"}')
          expect(jobs).toMatch(/^catalog_index_documents 0$/m)
          expect(jobs).not.toContain('catalog_http_requests_total{')
          expect(await ofIndexer.get('/readyz')).toMatchObject({
            status: 200,
            text: '{"status":"ready","dependencies":{"catalog":"up","search":"up","exports":"up","jobs":"up"}}',
          })

          expect((await fetch(`${query.url()}/api/skills`)).status).toBe(200)
          await ofQuery.until('catalog_http_requests_total{endpoint="list-skills",method="GET",status="200"} 1\n')
          await ofQuery.until('catalog_rate_limit_fallback_active 0\n')

          await redis.kill()
          expect((await fetch(`${query.url()}/api/skills`)).status).toBe(200)
          await ofQuery.until('catalog_rate_limit_fallback_active 1\n')
          await ofIndexer.until('catalog_dependency_up{dependency="jobs"} 0\n')
          expect((await ofIndexer.get('/readyz')).status).toBe(503)
          await redis.start()
          await ofIndexer.until('catalog_dependency_up{dependency="jobs"} 1\n')

          for (const service of [indexer, query]) {
            service.signal('SIGTERM')
          }
          expect(await Promise.all([indexer.ended, query.ended])).toEqual([0, 0])
        },
        180_000,
      )
    })
  })
})
