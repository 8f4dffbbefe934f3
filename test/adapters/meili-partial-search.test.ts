import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Meilisearch, type SearchParams } from 'meilisearch'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { SearchHit } from '../../shared/ports/search-index.js'
import { aFence } from '../support/a-fence.js'
import { aDocument, aQuery } from '../support/factories.js'
import { MeiliRelay } from '../support/meili-relay.js'
import { meiliKey, whenServer } from '../support/servers.js'

const prefix = 'partial_'

const words = ['amber', 'birch', 'cedar', 'daisy', 'elder', 'fern', 'ginger', 'hazel', 'iris']
/** Ten words, the last of which no skill has. */
const tenWords = [...words, 'submarine'].join(' ')
const facets = ['topics', 'owner', 'license', 'language'] as const

whenServer('meilisearch', (url) => {
  let relay: MeiliRelay
  beforeEach(async () => {
    relay = await MeiliRelay.before(url())
    const index = indexWithin()
    await index.prepare()
    // Each skill has one or two of the words, and each word has more skills than are read.
    const skills = Array.from({ length: 1_200 }, (_, n) => ({
      repo: `skill-${n}`,
      description: [words[n % 4], ...(n % 100 === 0 ? [words[4 + (n % 5)]] : [])].join(' '),
      stars: n,
      topics: n % 2 ? ['odd'] : ['even', 'all'],
      license: n % 3 ? 'MIT' : null,
    }))
    await index.apply({ publish: skills.map(aDocument), remove: [] }, 'live', aFence())
    relay.requests.length = 0
  })
  afterEach(async () => {
    relay.close()
    await new Meilisearch({ host: url(), apiKey: meiliKey }).deleteIndex(`${prefix}skills`).waitTask()
  })

  const indexWithin = (searchTimeoutMs = 4_500) =>
    new MeiliSearchIndex({ url: relay.url, key: meiliKey, prefix, searchTimeoutMs })

  const questions = (): SearchParams[][] => relay.requests.map(({ body }) => JSON.parse(body).queries)

  /** Number of values in a query's filter. */
  const valuesIn = ({ filter }: SearchParams) => (JSON.stringify(filter ?? '').match(/, /g) ?? []).length + 1

  const starsOf = (hits: SearchHit[]) => hits.map(({ skill }) => skill.stars)

  test('ten words with all facets cost four requests, and lists of 200 skills', async () => {
    const page = await indexWithin().search(aQuery(tenWords, { facets: [...facets], limit: 100 }))

    expect(page.hits).toHaveLength(100)
    const asked = questions()
    expect(asked.length).toBeLessThanOrEqual(4)
    expect(asked.flat().length).toBeLessThanOrEqual(2 + 10 + 11 + 1)
    for (const question of asked.flat()) {
      expect(question.limit).toBeLessThanOrEqual(200)
      expect(valuesIn(question)).toBeLessThanOrEqual(100)
    }
    // Once, with the query for all words; for partial matches, the values come with the lists.
    expect(asked.flat().filter((question) => question.facets !== undefined)).toHaveLength(1)
  })

  test('sorted by a column, and on the last page, no filter has more values than a page', async () => {
    const byStars = aQuery(tenWords, { sort: 'stars', order: 'asc', limit: 100, offset: 900 })
    const page = await indexWithin().search(byStars)

    expect(starsOf(page.hits)).toEqual(Array.from({ length: 100 }, (_, n) => 900 + n))
    for (const question of questions().flat()) {
      expect(question.limit).toBeLessThanOrEqual(1_000)
      expect(valuesIn(question)).toBeLessThanOrEqual(100)
    }
  })

  test('each order puts skills without a value last, ties by id, as the engine does', async () => {
    const index = indexWithin()
    const named = ['b', 'c', 'a'].map((name, n) => ({ owner: 'zoo', repo: `r${n}`, name, description: 'quince' }))
    await index.apply(
      {
        publish: [
          aDocument({ ...named[0], stars: 7, updatedAt: '2026-01-02T00:00:00.000Z' }),
          aDocument({ ...named[1], stars: null, updatedAt: '2026-01-01T00:00:00.000Z' }),
          aDocument({ ...named[2], stars: 7, updatedAt: null }),
        ],
        remove: [],
      },
      'live',
      aFence(),
    )
    const order = async (sort: 'stars' | 'updated' | 'name', direction: 'asc' | 'desc', text: string) =>
      (await index.search(aQuery(text, { sort, order: direction }))).hits.map(({ skill }) => skill.repo)

    for (const sort of ['stars', 'updated', 'name'] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        const partly = await order(sort, direction, 'quince submarine')
        expect({ sort, direction, found: partly }).toEqual({
          sort,
          direction,
          found: await order(sort, direction, 'quince'),
        })
      }
    }
  })

  test('facets count the matches, values in any case as one', async () => {
    const index = indexWithin()
    await index.apply(
      {
        publish: [
          aDocument({ owner: 'zoo', repo: 'one', description: 'quince', license: 'MIT', topics: ['a', 'b'] }),
          aDocument({ owner: 'zoo', repo: 'two', description: 'quince medlar', license: 'mit', topics: ['b'] }),
          aDocument({ owner: 'zoo', repo: 'three', description: 'medlar', license: 'ISC', language: 'Go' }),
        ],
        remove: [],
      },
      'live',
      aFence(),
    )

    const page = await index.search(aQuery('quince medlar submarine', { facets: [...facets], limit: 1 }))

    expect(page.total).toBe(3)
    expect(page.facets).toEqual({
      topics: [
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ],
      owner: [{ value: 'zoo', count: 3 }],
      license: [
        { value: expect.stringMatching(/^mit$/i), count: 2 },
        { value: 'ISC', count: 1 },
      ],
      language: [{ value: 'Go', count: 1 }],
    })
  })

  test('a partial search ends at its time limit with a remedy', async () => {
    relay.script = async (request, forward) => {
      // All requests but the first time out.
      if (relay.requests.length === 1) {
        return forward(request.body)
      }
      await sleep(8_000, undefined, { ref: false })
      return null
    }
    const began = performance.now()

    await expect(indexWithin(2_000).search(aQuery(tenWords))).rejects.toMatchObject({
      status: 503,
      code: 'query_timeout',
      message: 'This search takes too long. Use fewer words, or no facets.',
    })
    expect(performance.now() - began).toBeLessThan(6_000)
    expect(relay.requests).toHaveLength(2)
  })

  test('an engine that does not answer within the time limit is unavailable', async () => {
    relay.script = async () => {
      await sleep(2_000)
      return null
    }

    await expect(indexWithin(300).search(aQuery(tenWords))).rejects.toMatchObject({ code: 'search_unavailable' })
  })
})
