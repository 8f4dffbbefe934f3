import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Meilisearch, type SearchParams } from 'meilisearch'
import { type MeiliSearchIndex, meiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { SearchQuery } from '../../shared/ports/search-index.js'
import { parseSynonyms } from '../../shared/ranking/other-words.js'
import { type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { settingsFingerprint } from '../../shared/search-settings.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import type { HttpRelay } from '../support/http-relay.js'
import { startHttpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'

const prefix = 'adapter_'

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let relay: HttpRelay
  let index: MeiliSearchIndex
  beforeEach(async () => {
    relay = await startHttpRelay(url())
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    index = meiliSearchIndex({ url: url(), key: meiliKey, prefix, embedder: null })
    await index.prepare()
  })
  afterEach(async () => {
    await client.deleteIndex(`${prefix}skills`).waitTask()
    await client.deleteIndex(`${prefix}skills_next`).waitTask()
  })

  const publish = (...skills: Partial<StoredSkill>[]) =>
    index.apply({ publish: skills.map(aDocument), remove: [] }, 'live', aLock())
  const found = async (text: string, query: Partial<SearchQuery> = {}) =>
    (await index.search(aQuery(text, query))).hits.map((hit) => skillOf(hit).id)

  /** The same index behind a relay. */
  const relayed = () => meiliSearchIndex({ url: relay.url, key: meiliKey, prefix, embedder: null })

  test('a kept-alive connection that the server closes is replaced', async () => {
    const used = new WeakSet<object>()
    let cut = 0
    relay.script = async ({ connection }, forward) => {
      const again = used.has(connection)
      used.add(connection)
      cut += again ? 1 : 0
      return again ? null : forward()
    }

    const reader = relayed()
    for (let n = 0; n < 4; n += 1) {
      expect((await reader.search(aQuery('pdf'))).total).toBe(0)
    }

    expect(cut).toBeGreaterThan(0)
  })

  test('no compressed responses are requested', async () => {
    const both = relayed()
    await both.apply({ publish: [aDocument({ name: 'pdf' })], remove: ['nobody/nothing'] }, 'live', aLock())
    await both.search(aQuery('pdf'))
    await both.list(null, 10, 'live')
    await both.status()

    const asked = relay.requests.map(({ headers }) => headers['accept-encoding'])
    expect(asked.length).toBeGreaterThan(5)
    expect(new Set(asked)).toEqual(new Set(['identity']))
  })

  describe('faults', () => {
    test('an index of another version is being built until it is built again, and is no outage', async () => {
      const older = { filterableAttributes: ['id', 'idHash', 'nameHashes'], sortableAttributes: ['id', 'rank'] }
      await client.index(`${prefix}skills`).updateSettings(older).waitTask()

      const isBuilt = { status: 503, code: 'search_unavailable', message: expect.stringMatching('being built') }
      await expect(index.suggest('pdf', 10)).rejects.toMatchObject(isBuilt)
      await expect(index.suggest('acme/', 10)).rejects.toMatchObject(isBuilt)
      await expect(found('pdf', { filters: { minStars: 1 } })).rejects.toMatchObject(isBuilt)
      await expect(found('pdf', { sort: 'stars' })).rejects.toMatchObject(isBuilt)
      await expect(found('pdf', { facets: ['license'] })).rejects.toMatchObject(isBuilt)
      expect(index.isFailing).toBe(false)

      await index.createNext(aLock())
      await index.swap(aLock())
      expect(await index.suggest('pdf', 10)).toEqual([])
    })

    test('a deleted index is not created by a write, but by a rebuild', async () => {
      await client.deleteIndex(`${prefix}skills`).waitTask()

      await expect(publish({})).rejects.toMatchObject({ status: 503 })
      expect(await index.status()).toEqual({ documents: 0, settings: null })

      await index.createNext(aLock())
      await index.apply({ publish: [aDocument({ name: 'kumquat' })], remove: [] }, 'next', aLock())
      await index.swap(aLock())
      expect(await index.status()).toEqual({ documents: 1, settings: index.settings })
      expect(await found('kumquat')).toHaveLength(1)
    })

    test('an index that another indexer is creating, and that has no primary key yet, is waited for', async () => {
      const uid = `${prefix}skills`
      const shown = JSON.stringify(await client.getRawIndex(uid))
      await client.deleteIndex(uid).waitTask()
      relay.script = async ({ method, path }, forward) => {
        if (method !== 'GET' || path !== `/indexes/${uid}`) {
          return forward()
        }
        relay.script = (_request, pass) => pass()
        await client.createIndex(uid, { primaryKey: 'key' })
        return { status: 200, body: JSON.stringify({ ...JSON.parse(shown), primaryKey: null }) }
      }

      await relayed().prepare()

      expect((await client.getRawIndex(uid)).primaryKey).toBe('key')
      expect(relay.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    })

    test('an empty index that another application has created is refused', async () => {
      await client.deleteIndex(`${prefix}skills`).waitTask()
      await client.createIndex(`${prefix}skills`).waitTask()

      await expect(relayed().prepare()).rejects.toMatchObject({ code: 'search_index_taken' })
    })

    test('after an interrupted swap, the previous live index is not used as the next one', async () => {
      await publish({ repo: 'old' })
      await index.createNext(aLock())
      await client.swapIndexes([{ indexes: [`${prefix}skills`, `${prefix}skills_next`], rename: false }]).waitTask()

      await expect(index.list(null, 10, 'next')).rejects.toMatchObject({ status: 503 })
      await expect(index.swap(aLock())).rejects.toMatchObject({ status: 503 })
      expect(await index.list(null, 10, 'live')).toEqual([])
    })

    test('an index that was built with other settings is recognized', async () => {
      expect(index.settings).toBe(settingsFingerprint(null))
      expect((await index.status()).settings).toBe(index.settings)

      await client.index(`${prefix}skills`).updateStopWords(['settings=others']).waitTask()
      expect((await index.status()).settings).toBe('others')

      await client.index(`${prefix}skills`).resetStopWords().waitTask()
      expect((await index.status()).settings).toBeNull()
    })

    test('an index that was built with other synonyms is recognized, and builds its own', async () => {
      const other = meiliSearchIndex({
        url: url(),
        key: meiliKey,
        prefix,
        synonyms: parseSynonyms('kumquat = fig'),
        embedder: null,
      })

      expect((await other.status()).settings).not.toBe(index.settings)
      await other.createNext(aLock())
      await other.swap(aLock())
      await publish({ name: 'the kumquat' })
      expect((await other.status()).settings).toBe(index.settings)
      expect((await other.search(aQuery('the fig'))).total).toBe(1)
    })
  })

  test('partial matches are sorted, filtered and counted like full ones', async () => {
    await publish(
      { repo: 'a', description: 'kumquat', stars: 1, license: 'MIT' },
      { repo: 'b', description: 'kumquat rhubarb', stars: 2, license: 'MIT' },
      { repo: 'c', description: 'kumquat, unwanted', stars: 4, license: 'MIT' },
      ...Array.from({ length: 4 }, () => ({ description: 'rhubarb' })),
    )
    const text = 'kumquat rhubarb submarine -unwanted'

    expect((await found(text)).slice(0, 2)).toEqual(['acme/b', 'acme/a'])
    expect(await found(text, { sort: 'stars', order: 'asc' })).toEqual(['acme/a', 'acme/b'])
    expect(await found(text, { filters: { license: 'mit' }, limit: 1, offset: 1 })).toEqual(['acme/a'])
    const { facets } = await index.search(aQuery(text, { facets: ['license'] }))
    expect(facets).toEqual({ license: [{ value: 'MIT', count: 2 }] })
  })

  test('a sorted search looks for partial matches only where no skill has all words', async () => {
    await publish({ repo: 'pdf-merge', name: 'PDF merge', stars: 1 }, { repo: 'pdf', name: 'PDF', stars: 2 })
    const reader = relayed()
    const sorted = async (text: string) => {
      relay.requests.length = 0
      const { hits } = await reader.search(aQuery(text, { sort: 'stars' }))
      const sent = relay.requests.flatMap(({ path, body }) =>
        path === '/multi-search' ? (JSON.parse(body) as { queries: SearchParams[] }).queries : [],
      )
      const asked = sent.filter(({ sort, limit }) => sort !== undefined && limit !== 0)
      return {
        found: hits.map((hit) => skillOf(hit).repo),
        asked: asked.map(({ matchingStrategy }) => matchingStrategy),
      }
    }

    expect(await sorted('pdf merge')).toEqual({ found: ['pdf-merge'], asked: ['all'] })
    expect(await sorted('pdf rhubarb')).toEqual({ found: ['pdf', 'pdf-merge'], asked: ['all', 'frequency'] })
  })

  test('a filter for any value matches exactly that value', async () => {
    const values = [
      ...['a"b', "a'b", 'a\\', 'a\\"', '" OR archived = false OR license = "', '日本', 'nul\u0000', '\ud800', '[x]'],
      'MIT',
    ]
    await publish(...values.map((license, at) => ({ repo: `r${at}`, name: 'pdf', license })))

    for (const [at, license] of values.entries()) {
      const page = await index.search(aQuery('pdf', { filters: { license } }))
      expect(page.hits.map(skillOf)).toMatchObject([{ repo: `r${at}`, license }])
      expect([license, page.total]).toEqual([license, 1])
    }
  })
})
