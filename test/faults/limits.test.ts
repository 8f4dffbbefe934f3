import { expect, test } from '@jest/globals'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { sampleFolder } from '../support/sample-folder.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, type ServiceProcess, serviceStart, sharedService, started } from '../support/service-process.js'
import { sendTo, type TestResponse } from '../support/test-app.js'
import { expectInvariant } from './support/invariant.js'
import { type Environment, publishAll, putSkills } from './support/published-catalog.js'

const list = '/api/skills?limit=1'
const download = '/api/v1/export?type=skills'

/** A service that clients reach directly, and one behind a proxy; the clients of each test have addresses of their own. */
const shared = sharedService(async () => {
  const envs = [await aSample(), await aSample({ TRUSTED_PROXIES: '1' })]
  const [direct = '', behindProxy = ''] = await Promise.all(envs.map((env) => started(nodeStart(env))))
  return { direct, behindProxy, expectInvariants: () => Promise.all(envs.map(expectInvariant)) }
})

test('40. 300 parallel: exactly 100; export 10', async () => {
  await expectQuotas([shared().behindProxy], 10)
  await shared().expectInvariants()
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis('on servers, 300 parallel to two services: exactly 100; export 10', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      await putSkills(env, 10)
      await publishAll(env)
      const services = [1, 2].map(() => serviceStart('query', { ...env, TRUSTED_PROXIES: '1' }))
      const urls = await Promise.all(services.map(started))

      // When Redis does not answer in time, as on a busy machine, each service counts by itself: another guarantee.
      for (let round = 1; ; round += 1) {
        const before = timesAlone(services)
        const outcome = await expectQuotas(urls, round).catch((error: unknown) => ({ error }))
        if (timesAlone(services) === before) {
          expect(outcome).toBeUndefined()
          break
        }
      }
      await expectInvariant(env)
    })
  })
})

test('41. XFF rotation: same bucket', async () => {
  const { direct, behindProxy, expectInvariants } = shared()

  const claimed = await times(150, (time) => ask(direct, list, `203.0.113.${time}`))
  const written = await times(150, (time) => ask(behindProxy, list, `198.51.100.${time}, 203.0.113.7`))

  expect([statuses(claimed), statuses(written)]).toEqual([limited(100, 50), limited(100, 50)])
  expect((await ask(behindProxy, list, '203.0.113.7, 203.0.113.8')).status).toBe(200)
  await expectInvariants()
})

test('42. IPv6 rotation in /64: same; two IPv4: separate', async () => {
  const { behindProxy: url, expectInvariants } = shared()
  const spellings = ['2001:db8::$', '2001:DB8:0:0:ffff:1:2:$', '[2001:db8::$]:4711', '2001:0db8:0000:0000::$%eth0']

  const rotated = await times(160, (time) =>
    ask(url, list, String(spellings[time % 4]).replace('$', (time + 1).toString(16))),
  )
  const one = await times(120, (time) => ask(url, list, time % 2 === 0 ? '203.0.113.1' : '::ffff:cb00:7101'))
  const other = await times(120, (time) => ask(url, list, time % 2 === 0 ? '203.0.113.2:443' : '::ffff:203.0.113.2'))

  expect(statuses(rotated)).toEqual(limited(100, 60))
  expect((await ask(url, list, '2001:db8:0:1::1')).status).toBe(200)
  expect([statuses(one), statuses(other)]).toEqual([limited(100, 20), limited(100, 20)])
  await expectInvariants()
})

/** The sample in its own folder. */
const aSample = async (settings: Environment = {}): Promise<Environment> => ({
  DATA_DIR: await sampleFolder(),
  CATALOG_MODE: 'embedded',
  ...settings,
})

/** Sends 300 requests and 300 downloads at once to the services, from two addresses that only this round uses. */
async function expectQuotas(urls: string[], round: number): Promise<void> {
  const spread = (path: string, from: string) =>
    times(300, (time) => ask(String(urls[time % urls.length]), path, from)).then(statuses)
  expect(await spread(list, `203.0.113.${round}`)).toEqual(limited(100, 200))
  expect(await spread(download, `2001:db8:0:${round}::1`)).toEqual(limited(10, 290))
  // Refused requests do not count against other limits.
  expect(await spread(list, `2001:db8:0:${round}::1`)).toEqual(limited(90, 210))
}

const ask = (url: string, path: string, forwardedFor: string): Promise<TestResponse> =>
  sendTo(url, 'GET', path, { 'X-Forwarded-For': forwardedFor })

const times = <T>(count: number, call: (time: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, time) => call(time)))

/** Number of responses by status; a refusal without `Retry-After` has none. */
function statuses(answers: TestResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, headers } of answers) {
    const known = status === 429 && !(Number(headers['retry-after']) >= 1) ? 'no Retry-After' : status
    counts[known] = (counts[known] ?? 0) + 1
  }
  return counts
}

const limited = (admitted: number, refused: number) => ({ 200: admitted, 429: refused })

/** How many times a service has started or stopped counting by itself. */
const timesAlone = (services: ServiceProcess[]): number =>
  services.reduce((sum, service) => sum + service.stderr().split('rate limits are counted by').length, 0)
