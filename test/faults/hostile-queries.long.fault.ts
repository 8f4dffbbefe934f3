import { expect, test } from '@jest/globals'
import { facetNames } from '../../shared/ports/filter-table.js'
import { inLanes } from '../support/in-lanes.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, type ServiceProcess, serviceStart, started } from '../support/service-process.js'
import { sendTo } from '../support/test-app.js'
import { expectInvariant } from './support/invariant.js'
import { printResult } from './support/process-statistics.js'
import { inFolder, seed } from './support/published-catalog.js'
import { watchApi } from './support/watch-api.js'

const settings = { RATE_LIMIT_PER_MINUTE: '1000000', TRUSTED_PROXIES: '1', LOG_LEVEL: 'error' }

/** The most expensive queries, each in another way: the whole catalog, all typos, all fields, the last page. */
const worstTexts = [
  'a',
  'the and for to with from of data file in',
  'a b c d e f g h i j',
  'documnets extrcating tabels invioces conversoin workfolw automaiton analyiss generaitng summarzie',
  'qwxzvbnkj zxqwvbnmk pqowieurty mznxbcvalk lskdjfhgqp qpwoeiruty alskdjfhgm zmxncbvlak qazwsxedcr plokmijnuh',
  'agent agent agent agent agent agent agent agent agent agent',
  '"the of and for with to in from data file"',
  'a -the -and -for -to -with -from -of -data -file -in',
  '-the -and',
  'abcdefghij'.repeat(20),
  'a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z-'.repeat(4).slice(0, 200),
  '縦書きの文書を変換する'.repeat(20).slice(0, 200),
  // Tasks, as long as a text may be.
  'the and for to with from of data file in agent '.repeat(50).slice(0, 2_000),
  'documnets extrcating tabels invioces conversoin workfolw automaiton analyiss generaitng '.repeat(25).slice(0, 2_000),
  Array.from({ length: 400 }, (_, n) => (n * 7_919).toString(26).padStart(4, 'x'))
    .join(' ')
    .slice(0, 2_000),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(40).slice(0, 2_000),
  '"data file" -agent the/of '.repeat(80).slice(0, 2_000),
  // As long as a URL may be, with different pairs of characters in each run.
  Array.from({ length: 850 }, (_, n) =>
    n % 12 === 11 ? ' ' : String.fromCharCode(0x4e00 + ((n * 7_919) % 3_000)),
  ).join(''),
]
const worstOptions = [
  '',
  `&facets=${facetNames}&highlight=true&limit=100`,
  `&facets=${facetNames}&sort=name&page=10&limit=100&minStars=0`,
]
const worst = worstTexts.flatMap((text) =>
  worstOptions.map((options) => `/api/v1/skills/search?q=${encodeURIComponent(text)}${options}`),
)

const normal = ['pdf', 'pdf table', 'csv invo', 'data agent', 'markdwon'].map(
  (text) => `/api/v1/skills/search?q=${encodeURIComponent(text)}`,
)

test('worst-case queries: each answered within the query time limit, others at the same time', async () => {
  const env = { ...settings, ...inFolder() }
  await seed(env, 10_000)
  await expectAnswered(nodeStart(env))
  await expectInvariant(env)
}, 400_000)

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'on servers, worst-case queries: each answered within the query time limit',
      async () => {
        const env = { ...settings, ...(await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)) }
        // Fewer: it takes a while to write them.
        await seed(env, 3_000)
        await expectAnswered(serviceStart('query', env))
        await expectInvariant(env)
      },
      400_000,
    )
  })
})

async function expectAnswered(service: ServiceProcess): Promise<void> {
  const url = await started(service)
  const ask = async (path: string, from = '203.0.113.1') => {
    const beganMs = performance.now()
    const { status, headers } = await sendTo(url, 'GET', path, { 'X-Forwarded-For': from })
    return { path, status, retryAfter: headers['retry-after'], ms: performance.now() - beganMs }
  }
  const alone = await inLanes(100, 1, (time) => ask(String(normal[time % normal.length])))

  // One after the other: each succeeds.
  const serial = await inLanes(worst.length, 1, (time) => ask(String(worst[time - 1])))
  expect(serial.filter(({ status }) => status !== 200)).toEqual([])

  // A flood: a request that cannot be answered in time is refused with `Retry-After`.
  const api = watchApi(url)
  let isOver = false
  const concurrent: Awaited<ReturnType<typeof ask>>[] = []
  const otherClient = (async () => {
    while (!isOver) {
      concurrent.push(await ask(String(normal[concurrent.length % normal.length]), '203.0.113.2'))
    }
  })()
  const flood = await inLanes(worst.length * 2, 8, (time) => ask(String(worst[time % worst.length])))
  isOver = true
  await otherClient

  expect((await api.stop()).faults).toEqual([])
  const valid = [...flood, ...concurrent].filter(({ status, retryAfter }) => status === 200 || Number(retryAfter) >= 1)
  expect(valid).toHaveLength(flood.length + concurrent.length)
  printResult(
    `normal queries alone: ${latencies(alone)}; during the flood, by another client: ${latencies(concurrent)}`,
  )
  printResult(`worst-case queries one by one: ${latencies(serial)}; in the flood: ${latencies(flood)}`)
}

function latencies(answers: { status: number; ms: number }[]): string {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const p95 = Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0)
  return `p95 ${p95} ms, ${answers.filter(({ status }) => status !== 200).length} of ${answers.length} refused`
}
