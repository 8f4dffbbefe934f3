import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { SearchQuery } from '../../shared/ports/search-index.js'
import { parseSynonyms } from '../../shared/ranking/other-words.js'
import { type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { settingsFingerprint } from '../../shared/search-settings.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import { meiliKey, whenServer } from '../support/servers.js'

const prefix = 'adapter_'

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let index: MeiliSearchIndex
  beforeEach(async () => {
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    index = new MeiliSearchIndex({ url: url(), key: meiliKey, prefix, embedder: null })
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

  /** Uses an index behind a relay that forwards the requests that `admits` accepts, and closes the connection of others. */
  async function throughRelay(
    admits: (request: IncomingMessage) => boolean,
    work: (relayed: MeiliSearchIndex) => Promise<void>,
  ): Promise<void> {
    const relay = createServer((incoming, outgoing) => {
      if (!admits(incoming)) {
        incoming.socket.destroy()
        return
      }
      const { method, headers } = incoming
      incoming.pipe(
        request(`${url()}${incoming.url}`, { ...(method === undefined ? {} : { method }), headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        }),
      )
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = relay.address() as AddressInfo
      await work(new MeiliSearchIndex({ url: `http://127.0.0.1:${port}`, key: meiliKey, prefix, embedder: null }))
    } finally {
      relay.closeAllConnections()
      relay.close()
    }
  }

  test('a kept-alive connection that the server closes is replaced', async () => {
    const used = new WeakSet<object>()
    let cut = 0
    const once = ({ socket }: IncomingMessage) => {
      const again = used.has(socket)
      used.add(socket)
      cut += again ? 1 : 0
      return !again
    }

    await throughRelay(once, async (relayed) => {
      for (let n = 0; n < 4; n += 1) {
        expect((await relayed.search(aQuery('pdf'))).total).toBe(0)
      }
    })

    expect(cut).toBeGreaterThan(0)
  })

  test('no compressed responses are requested', async () => {
    const asked: (string | undefined)[] = []

    await throughRelay(
      ({ headers }) => asked.push(headers['accept-encoding']) > 0,
      async (relayed) => {
        await relayed.apply({ publish: [aDocument({ name: 'pdf' })], remove: ['nobody/nothing'] }, 'live', aLock())
        await relayed.search(aQuery('pdf'))
        await relayed.list(null, 10, 'live')
        await relayed.status()
      },
    )

    expect(asked.length).toBeGreaterThan(5)
    expect(new Set(asked)).toEqual(new Set(['identity']))
  })

  describe('faults', () => {
    test('an index of another version has no suggestions until it is built again', async () => {
      await client.index(`${prefix}skills`).updateFilterableAttributes(['id', 'idHash', 'nameHashes']).waitTask()

      await expect(index.suggest('pdf', 10)).rejects.toMatchObject({ status: 503, code: 'search_unavailable' })
      await expect(index.suggest('acme/', 10)).rejects.toMatchObject({ status: 503, code: 'search_unavailable' })

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
      const other = new MeiliSearchIndex({
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

  test('all documents of several batches are stored', async () => {
    await publish(...Array.from({ length: 5_001 }, () => ({ name: 'kumquat' })))

    expect((await index.status()).documents).toBe(5_001)
    expect((await index.search(aQuery('kumquat'))).total).toBeGreaterThanOrEqual(1_000)
  })

  test('pages continue after the previous one, within the exact matches, the weighed ones and the others', async () => {
    await publish(
      { owner: 'pdf', repo: 'tools', name: 'x', stars: 30 },
      ...Array.from({ length: 70 }, (_, n) => ({ name: 'PDF Tools', stars: n })),
      ...Array.from({ length: 80 }, (_, n) => ({ name: 'more pdf tools', stars: 100 + n })),
    )
    const pages = async (limit: number) => {
      const offsets = Array.from({ length: Math.ceil(160 / limit) }, (_, page) => page * limit)
      return (await Promise.all(offsets.map((offset) => found('pdf tools', { offset, limit })))).flat()
    }
    const { total, hits } = await index.search(aQuery('pdf tools', { limit: 100 }))

    expect(total).toBe(151)
    expect(new Set(await pages(20)).size).toBe(151)
    expect(await pages(20)).toEqual(await pages(100))
    expect(hits[0]?.score).toBe(1)
    expect(hits.slice(1, 71).map((hit) => skillOf(hit).name)).toEqual(Array(70).fill('PDF Tools'))
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

  test.each([
    'a"b',
    "a'b",
    'a\\',
    'a\\"',
    '" OR archived = false OR license = "',
    '日本',
    'nul\u0000',
    '\ud800',
    '[x]',
  ])('a filter for %j matches exactly that value', async (license) => {
    await publish({ repo: 'a', name: 'pdf', license }, { repo: 'b', name: 'pdf', license: 'MIT' })

    const page = await index.search(aQuery('pdf', { filters: { license } }))
    expect(page.hits.map(skillOf)).toMatchObject([{ repo: 'a', license }])
    expect(page.total).toBe(1)
  })
})
