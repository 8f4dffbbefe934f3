import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { type MeiliSearchIndex, meiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { SearchDocument } from '../../shared/ports/search-index.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import { type HttpRelay, isPost, refusal } from '../support/http-relay.js'
import { startHttpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'

const prefix = 'faults_'

/** A document whose id is longer than Meilisearch accepts. */
const aRefusedDocument = (): SearchDocument => ({ ...aDocument({ repo: 'refused' }), id: `acme/${'x'.repeat(600)}` })

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let relay: HttpRelay
  let index: MeiliSearchIndex
  beforeEach(async () => {
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    relay = await startHttpRelay(url())
    index = meiliSearchIndex({
      url: relay.url,
      key: meiliKey,
      prefix,
      embedder: null,
      retries: { timeoutMs: 1_000, firstPauseMs: 20 },
    })
    await index.prepare()
  })
  afterEach(async () => {
    await client.deleteIndex(`${prefix}skills`).waitTask()
    await client.deleteIndex(`${prefix}skills_next`).waitTask()
  })

  const publish = (...documents: SearchDocument[]) => index.apply({ publish: documents, remove: [] }, 'live', aLock())
  const held = async () => (await index.list(null, 100, 'live')).map(({ id }) => id)

  describe('a temporary fault', () => {
    test.each([
      ['408', refusal(408, 'timeout')],
      ['429', refusal(429, 'too_many_search_requests')],
      ['500', refusal(500, 'internal')],
      ['a proxy that speaks HTML', { status: 502, body: '<html>Bad gateway</html>' }],
      ['a connection that is closed before any data', null],
    ])('is retried: %s', async (_name, answer) => {
      let failures = 0
      relay.script = async (request, forward) => {
        failures += isPost(request) ? 1 : 0
        return isPost(request) && failures < 3 ? answer : forward()
      }

      expect(await publish(aDocument({ repo: 'tool' }))).toEqual({ rejected: [] })

      expect(await held()).toEqual(['acme/tool'])
      expect(relay.posts).toHaveLength(3)
    })

    test('times out when it lasts too long', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(503, 'unavailable') : forward())

      await expect(publish(aDocument({ repo: 'tool' }))).rejects.toMatchObject({
        status: 503,
        code: 'search_unavailable',
      })

      relay.script = (_request, forward) => forward()
      await publish(aDocument({ repo: 'tool' }))
      expect(await held()).toEqual(['acme/tool'])
    })
  })

  test('a swap whose response was lost is not repeated, which would undo it', async () => {
    await publish(aDocument({ repo: 'old' }))
    await index.createNext(aLock())
    await index.apply({ publish: [aDocument({ repo: 'new' })], remove: [] }, 'next', aLock())
    let swaps = 0
    relay.script = async (request, forward) => {
      const answer = await forward()
      swaps += request.path === '/swap-indexes' ? 1 : 0
      return request.path === '/swap-indexes' ? null : answer
    }

    await index.swap(aLock())

    expect(swaps).toBe(1)
    expect(await held()).toEqual(['acme/new'])
  })

  test('a task queue that stays full is a 503, and no document is rejected', async () => {
    relay.script = async (request, forward) => (isPost(request) ? refusal(422, 'no_space_left_on_device') : forward())

    await expect(publish(aDocument({ repo: 'tool' }))).rejects.toMatchObject({ status: 503 })
  })

  describe('a refused batch', () => {
    test('rejects only the invalid document', async () => {
      const refused = aRefusedDocument()

      const { rejected } = await publish(
        aDocument({ repo: 'a' }),
        aDocument({ repo: 'b' }),
        refused,
        aDocument({ repo: 'c' }),
      )

      expect(rejected).toEqual([{ id: refused.id, reason: expect.stringContaining('invalid_document_id') }])
      expect(await held()).toEqual(['acme/a', 'acme/b', 'acme/c'])
    })

    test('rejects no document of concurrent batches', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          publish(
            aDocument({ repo: `tool-${n}` }),
            ...(n % 3 === 1 ? [aRefusedDocument()] : []),
            aDocument({ repo: `more-${n}` }),
          ),
        ),
      )

      expect(outcomes.map(({ rejected }) => rejected.length)).toEqual([0, 1, 0, 0, 1, 0, 0, 1])
      expect(await held()).toHaveLength(16)
    })

    test('removes the previous version of its document', async () => {
      await publish(aDocument({ repo: 'tool' }))
      relay.script = async (request, forward) => (isPost(request) ? refusal(400, 'invalid_document') : forward())

      expect((await publish(aDocument({ repo: 'tool', description: 'new' }))).rejected).toMatchObject([
        { id: 'acme/tool' },
      ])

      expect(await held()).toEqual([])
    })

    test('for its key rejects no documents', async () => {
      relay.script = async (request, forward) => (isPost(request) ? refusal(403, 'invalid_api_key') : forward())

      await expect(publish(aDocument({ repo: 'tool' }))).rejects.toMatchObject({ code: 'search_key_refused' })
    })
  })
})

describe('the cache of answers', () => {
  whenServer('meilisearch', (url) => {
    let relay: HttpRelay
    let index: MeiliSearchIndex
    beforeEach(async () => {
      relay = await startHttpRelay(url())
      index = meiliSearchIndex({ url: relay.url, key: meiliKey, prefix: 'cached_', embedder: null })
      await index.createNext(aLock())
      await index.swap(aLock())
    })

    const publish = (stars: number) =>
      index.apply({ publish: [aDocument({ repo: 'pdf', stars })], remove: [] }, 'live', aLock())
    const searches = () => relay.requests.filter(({ path }) => path === '/multi-search').length
    const starsFound = async (text = 'pdf') =>
      (await index.search(aQuery(text))).hits.map(({ record }) => (JSON.parse(record) as { stars: number }).stars)

    test('an answer is given again without a search, until the index changes', async () => {
      await publish(1)
      await starsFound()
      const each = searches()
      await starsFound()
      const before = searches()

      expect(await Promise.all([starsFound(), starsFound(), starsFound()])).toEqual([[1], [1], [1]])
      expect(searches()).toBe(before)

      await publish(2)
      expect(await starsFound()).toEqual([2])
      expect(searches()).toBe(before + each)
      await index.apply({ publish: [], remove: ['acme/pdf'] }, 'live', aLock())
      expect(await starsFound()).toEqual([])
    })

    test('the generation of the index is asked for by repeated queries only', async () => {
      await publish(1)
      relay.requests.length = 0
      await starsFound('pdf')
      const each = searches()
      await starsFound('rhubarb')
      expect(relay.requests).toHaveLength(searches())

      const before = searches()
      await starsFound('pdf')
      expect(searches()).toBe(before + each)
      expect(relay.requests).toHaveLength(before + each + 1)
    })

    test('a swapped index is searched again', async () => {
      await publish(1)
      await starsFound()
      await starsFound()
      await index.createNext(aLock())
      await index.apply({ publish: [aDocument({ repo: 'pdf', stars: 3 })], remove: [] }, 'next', aLock())
      await index.swap(aLock())

      expect(await starsFound()).toEqual([3])
    })
  })
})
