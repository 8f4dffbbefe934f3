import { expect, test } from '@jest/globals'
import { memoryOf } from '../bench/footprint.js'
import { capacityOf, type PhaseResult, startLoadProcess } from '../bench/load.js'
import { mixedQueries } from '../bench/queries.js'
import { sampleSeeded } from '../bench/record-sets.js'
import { percentiles } from '../bench/report.js'
import { catalogSearch } from '../bench/search-system.js'
import { afterTest } from '../support/after-test.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, type ServiceProcess, serviceStart, started } from '../support/service-process.js'
import { printResult } from './support/process-statistics.js'
import { inFolder, seed } from './support/published-catalog.js'

const settings = { RATE_LIMIT_PER_MINUTE: '1000000', TRUSTED_PROXIES: '1', LOG_LEVEL: 'error' }

/** The time limit of a call to a backend. */
const timeLimitMs = 5_000

/** Searches that no cache answers. */
const queries = mixedQueries(sampleSeeded({ size: 2_000 }))
const newRequests = () => queries(5_000).map((query) => ({ path: catalogSearch()(query).path }))

test('three times the load that a folder bears: 200, or 503 with Retry-After; normal again after it', async () => {
  const env = { ...settings, ...inFolder() }
  await seed(env, 5_000)
  await expectHonest(nodeStart(env), 1_200)
}, 120_000)

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'three times the load that servers bear: 200, or 503 with Retry-After; normal again after it',
      async () => {
        const env = { ...settings, ...(await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)) }
        await seed(env, 2_000)
        await expectHonest(serviceStart('query', env), 500)
      },
      120_000,
    )
  })
})

/** @param overload requests a second at least: a capacity that was found on a busy machine is too low */
async function expectHonest(service: ServiceProcess, overload: number): Promise<void> {
  const url = await started(service)
  const process = startLoadProcess()
  afterTest(() => process.stop())
  const capacity = await capacityOf(process, { url, connections: 16 }, newRequests)
  const load = {
    ...{ url, requests: newRequests(), connections: 2_000, clients: 500, seed: 7 },
    rates: [Math.max(capacity * 3, overload), capacity / 3],
    phaseSeconds: 5,
  }

  const first = process.openLoop(load)
  const ready = await fetch(`${url}/readyz`)
  const [over, after] = (await first) as [PhaseResult, PhaseResult]
  const before = memoryOf(service.pid).residentBytes
  await process.openLoop(load)
  const grownMb = (memoryOf(service.pid).residentBytes - before) / 1e6

  expect(ready.status).toBe(200)
  for (const { started, sent } of [over, after]) {
    expect(sent).toHaveLength(started)
    expect(sent.filter(({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter))).toEqual([])
    expect(Math.max(...sent.map(({ latencyMs }) => latencyMs))).toBeLessThan(timeLimitMs)
  }
  const refused = over.sent.filter(({ status }) => status === 503)
  const inTime = over.sent.filter(
    ({ status, sinceMs, latencyMs }) => status === 200 && sinceMs + latencyMs <= over.endMs,
  )
  expect(refused.length).toBeGreaterThan(0)
  expect(inTime.length / load.phaseSeconds).toBeGreaterThan(capacity / 3)
  const normal = after.sent.filter(({ sinceMs }) => sinceMs - after.startedMs > 3_000)
  expect(normal.filter(({ status }) => status !== 200)).toEqual([])
  expect(percentiles(normal.map(({ latencyMs }) => latencyMs)).p95Ms).toBeLessThan(500)
  expect(grownMb).toBeLessThan(100)
  printResult(
    `of ${over.started} requests ${refused.length} refused, each within ` +
      `${Math.round(Math.max(...refused.map(({ latencyMs }) => latencyMs)))} ms; memory grew by ${Math.round(grownMb)} MB`,
  )
}
