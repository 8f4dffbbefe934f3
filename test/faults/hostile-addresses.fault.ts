import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { inLanes } from '../support/in-lanes.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { exchange } from '../support/raw-exchange.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, type ServiceProcess, serviceStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { printResult, statisticsOf, testWithConnections } from './support/process-statistics.js'
import { publishAll, putSkills } from './support/published-catalog.js'

/** Behind a proxy, with a quota that one client exhausts before all others have sent a request. */
const settings = { TRUSTED_PROXIES: '1', RATE_LIMIT_PER_MINUTE: '3', LOG_LEVEL: 'warn' }

const addresses = 50_000
const perConnection = 500

testWithConnections(
  '50,000 distinct addresses in a minute: limiter memory bounded, one over its limit stays so',
  10,
  async () => {
    const env = { ...settings, DATA_DIR: temporaryFolder(), CATALOG_MODE: 'embedded' }
    await expectBounded(nodeStart(env))
    await expectInvariant(env)
  },
)

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'on servers, 50,000 distinct addresses in a minute: memory bounded, none stays in Redis for longer',
      async () => {
        const env = { ...settings, ...(await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)) }
        await putSkills(env, 10)
        await publishAll(env)
        await expectBounded(serviceStart('query', env))

        const redis = new Redis(env.REDIS_URL)
        const keys = await redis.keys('rl:*')
        const lives = await Promise.all(keys.map((key) => redis.pttl(key)))
        const memory = /used_memory_human:(\S+)/.exec(await redis.info('memory'))?.[1]
        redis.disconnect()
        printResult(`${keys.length} addresses in Redis, which takes ${memory} with them`)
        // Each expires a minute after its last request; -2: it has just expired.
        expect(lives.filter((life) => life === -1 || life > 60_000)).toEqual([])
        await expectInvariant(env)
      },
      300_000,
    )
  })
})

async function expectBounded(service: ServiceProcess): Promise<void> {
  const url = await started(service)
  const before = statisticsOf(service.pid)
  const beganMs = performance.now()

  const statuses = await inLanes(addresses / perConnection, 4, async (turn) => {
    const others = Array.from({ length: perConnection }, (_, n) => ipv4(turn * perConnection + n))
    return statusesOf(url, ['203.0.113.1', ...others])
  })

  const seconds = (performance.now() - beganMs) / 1_000
  const { peakMb } = statisticsOf(service.pid)
  printResult(`${Math.round(addresses / seconds)} requests a second; ${peakMb - before.peakMb} MB for all of them`)
  const [persistent, others] = [statuses.map(([first]) => first), statuses.flatMap(([, ...rest]) => rest)]
  expect(others).toHaveLength(addresses)
  expect(others.filter((status) => status !== 200)).toEqual([])
  // Its quota of three per minute, not more because of the other clients.
  const minutes = Math.ceil(seconds / 60)
  expect(persistent.filter((status) => status === 200).length).toBeLessThanOrEqual(3 * minutes)
  expect(persistent.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(peakMb - before.peakMb).toBeLessThan(250)
}

/** The status of a request from each address, all over one connection. */
async function statusesOf(url: string, from: string[]): Promise<number[]> {
  const requests = from.map(
    (address, place) =>
      `HEAD /robots.txt HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
      `Connection: ${place === from.length - 1 ? 'close' : 'keep-alive'}\r\n\r\n`,
  )
  const { text } = await exchange(url, requests.join(''))
  return [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
}

const ipv4 = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
