import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { jobs } from '../../services/indexer/jobs.js'
import { aDesk, browser, comparable } from '../support/desk.js'
import { freePort } from '../support/local-server.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { sampleFolder } from '../support/sample-folder.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { endServices, greetingEnd, nodeStart, serviceStart, sharedService } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The URL of the metrics that a starting service prints. */
async function aMetricsPort() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    port,
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
  await endServices(service)
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    describe('on servers', () => {
      /** An indexer and a query service, each with its own port for operators. */
      const shared = sharedService(async () => {
        const redis = await startOwnRedis()
        const env = await emptyCatalog(mongodb(), meilisearch(), redis.url)
        const [ofIndexer, ofQuery] = [await aMetricsPort(), await aMetricsPort()]
        const [desk, deskOfQuery] = [await aDesk(ofIndexer.port), await aDesk(ofQuery.port)]
        const indexer = serviceStart('indexer', { ...env, ...ofIndexer.env })
        const query = serviceStart('query', { ...env, ...ofQuery.env })
        await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])
        return { redis, env, ofIndexer, ofQuery, desk, deskOfQuery, indexer, query }
      })

      testWithOwnRedis('each service has metrics of itself and its dependencies', async () => {
        const { ofIndexer, ofQuery, query } = shared()

        await ofIndexer.until('catalog_job_runs_total{job="sync-index",outcome="succeeded"}')
        await ofIndexer.until(/^catalog_job_last_success_timestamp_seconds\{job="write-exports"\} \d/m)
        const metrics = await ofIndexer.until(/^catalog_index_lag_seconds \d/m)
        expect(metrics).toContain('catalog_job_queue_depth{job="sync-index"}')
        expect(metrics).toMatch(/^catalog_index_documents 0$/m)
        expect(metrics).not.toContain('catalog_http_requests_total{')
        expect(await ofIndexer.get('/readyz')).toMatchObject({
          status: 200,
          text: '{"status":"ready","dependencies":{"catalog":"up","search":"up","exports":"up","jobs":"up"}}',
        })

        expect((await fetch(`${query.url()}/api/skills`)).status).toBe(200)
        await ofQuery.until('catalog_http_requests_total{endpoint="list-skills",method="GET",status="200"} 1\n')
        await ofQuery.until('catalog_rate_limit_fallback_active 0\n')
      })

      testWithOwnRedis('the desk runs every job, and shows the queues without a way to change them', async () => {
        const { env, desk, deskOfQuery } = shared()

        for (const { name } of jobs.servers) {
          const askedAt = new Date().toISOString()
          expect([name, (await desk.post(`/jobs/${name}/run`)).status]).toEqual([name, 303])
          await desk.until(name, ({ lastRun }) => (lastRun?.startedAt ?? '') >= askedAt)
        }
        for (const { name } of jobs.servers) {
          await desk.post(`/jobs/${name}/pause`)
        }
        const { json } = await runOnServers(env, ['status', '--json'])
        expect(json).toMatchObject({ dependencies: { catalog: 'up', search: 'up', limits: 'up', jobs: 'up' } })
        expect(json['indexers']).toBe(1)
        expect(comparable({ ...(await desk.status()) })).toEqual(comparable(json))
        expect((await desk.get('/', browser)).text).toContain('<a href="/queues/">Queues</a>')

        const page = await desk.get('/queues/', browser)
        expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<base href="/queues/" />') })
        expect(page.headers['content-security-policy']).toContain("style-src 'self';")
        const script = /src="(static\/js\/main[^"]+)"/.exec(page.text)?.[1]
        expect((await desk.get(`/queues/${script}`)).headers['content-type']).toBe('text/javascript; charset=utf-8')
        expect((await desk.get('/queues/static/../../package.json')).status).toBe(404)
        const { queues } = (await desk.get('/queues/api/queues')).body as { queues: Record<string, unknown>[] }
        expect(queues.map(({ name, readOnlyMode }) => [name, readOnlyMode])).toEqual(
          jobs.servers.map(({ name }) => [name, true]),
        )
        expect((await fetch(`${desk.url}/queues/api/queues/ingest/obliterate`, { method: 'PUT' })).status).toBe(404)
        expect((await deskOfQuery.get('/')).status).toBe(404)
      })

      testWithOwnRedis('without Redis both say so, go on once it is back, and end without it', async () => {
        const { redis, ofIndexer, ofQuery, desk, indexer, query } = shared()

        await redis.kill()
        expect((await fetch(`${query.url()}/api/skills`)).status).toBe(200)
        await ofQuery.until('catalog_rate_limit_fallback_active 1\n')
        await ofIndexer.until('catalog_dependency_up{dependency="jobs"} 0\n')
        expect((await ofIndexer.get('/readyz')).status).toBe(503)
        expect(await desk.post('/jobs/sync-index/run')).toMatchObject({
          status: 503,
          text: expect.stringContaining('The job queue does not answer'),
        })
        expect(await desk.status()).toMatchObject({ dependencies: { catalog: 'up', jobs: 'down', limits: 'down' } })
        expect((await desk.get('/', browser)).text).toContain('Each query service counts requests by itself.')
        await redis.start()
        await ofIndexer.until('catalog_dependency_up{dependency="jobs"} 1\n')

        await redis.kill()
        await endServices(indexer, query)
      })
    })
  })
})
