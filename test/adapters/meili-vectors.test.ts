import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { meiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import { skillOf } from '../../shared/records/skill.js'
import { unavailable } from '../../shared/runtime/errors.js'
import { settingsFingerprint } from '../../shared/search-settings.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery, aSkill, documentOf } from '../support/factories.js'
import type { HttpRelay } from '../support/http-relay.js'
import { startHttpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { aVector, testModel } from '../support/test-model.js'

const prefix = 'vectors_'

const brokenModel = {
  model: 'test',
  dimensions: async () => {
    throw unavailable('embedder_unavailable', 'The embedder is unavailable.', 5)
  },
}

whenServer('meilisearch', (url) => {
  let client: Meilisearch
  let relay: HttpRelay
  beforeEach(async () => {
    client = new Meilisearch({ host: url(), apiKey: meiliKey })
    relay = await startHttpRelay(url())
  })
  afterEach(async () => {
    await client.deleteIndex(`${prefix}skills`).waitTask()
    await client.deleteIndex(`${prefix}skills_next`).waitTask()
  })

  const indexWith = (embedder: Pick<Embedder, 'model' | 'dimensions'> | null) =>
    meiliSearchIndex({ url: relay.url, key: meiliKey, prefix, embedder })
  const near = (alone = false) => aQuery('invoices', { meaning: { vector: aVector(1), alone } })
  const invoices = aSkill({ repo: 'invoices', description: 'invoices' })
  const ledgers = aSkill({ repo: 'ledgers', description: 'bookkeeping' })
  const documents = [invoices, ledgers].map((skill) => ({ ...documentOf(skill), vector: aVector(1) }))
  const built = async (embedder: Pick<Embedder, 'model' | 'dimensions'> | null) => {
    const index = indexWith(embedder)
    await index.prepare()
    await index.apply({ publish: documents, remove: [] }, 'live', aLock())
    return index
  }

  test.each([
    ['another model', { model: 'other', dimensions: async () => 8 }],
    ['no model', null],
  ])('an index of %s answers by words, and takes documents, until it is built again', async (_name, earlier) => {
    await built(earlier)
    const index = indexWith(testModel)
    await index.prepare()

    for (const alone of [false, true]) {
      const page = await index.search(near(alone))
      expect(page.hits.map((hit) => skillOf(hit).repo)).toEqual(['invoices'])
      expect(page.byMeaning).toBe(false)
    }
    expect(await index.related(invoices.id, 10)).toEqual([])
    expect((await index.knownVectors([{ skill: invoices, text: null }])).size).toBe(0)
    expect((await index.status()).settings).not.toBe(index.settings)
    expect(await index.apply({ publish: documents, remove: [] }, 'live', aLock())).toEqual({ rejected: [] })

    await index.createNext(aLock())
    await index.apply({ publish: documents, remove: [] }, 'next', aLock())
    await index.swap(aLock())
    const rebuilt = indexWith(testModel)
    expect(await rebuilt.search(near())).toMatchObject({ total: 2, byMeaning: true })
    expect((await rebuilt.status()).settings).toBe(settingsFingerprint('test'))
  })

  test('missing vectors are not asked for with each search', async () => {
    await built(null)
    const index = indexWith(testModel)
    relay.requests.length = 0

    for (const text of ['invoices', 'bookkeeping', 'others']) {
      await index.search({ ...near(), text })
    }

    const asking = relay.requests.filter(({ body }) => /"vector":\[/.test(body))
    expect(asking).toHaveLength(1)
  })

  test('documents of the live index may keep vectors of a former model until they are written', async () => {
    await built(testModel)
    const index = indexWith(null)

    await index.apply({ publish: [aDocument({ repo: 'new' })], remove: [] }, 'live', aLock())

    expect((await index.status()).documents).toBe(3)
    expect((await index.search(near())).byMeaning).toBe(false)
  })

  test('without an answer of the embedder, a missing index is created without vectors, to be built again', async () => {
    const index = await built(brokenModel)

    expect(await index.search(near())).toMatchObject({ total: 1, byMeaning: false })
    expect(await index.status()).toEqual({ documents: 2, settings: null })
    await expect(index.createNext(aLock())).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect((await index.status()).documents).toBe(2)
  })

  test('an index of an earlier version folds no copies until it is built again', async () => {
    const index = await built(testModel)
    await client.index(`${prefix}skills`).updateFilterableAttributes(['id', 'idHash', 'nameHashes']).waitTask()

    expect(await index.search(aQuery('invoices', { fold: true }))).toMatchObject({ total: 1 })
    expect(await index.search({ ...near(), fold: true })).toMatchObject({ total: 2, byMeaning: true })
  })

  test('answers by words and by meaning are kept apart, by short keys', async () => {
    const index = await built(testModel)
    const totals = async () => {
      const pages = [near(), aQuery('invoices'), near(true)].map((query) => index.search(query))
      return (await Promise.all(pages)).map(({ total }) => total)
    }

    expect(await totals()).toEqual([2, 1, 2])
    expect(await totals()).toEqual([2, 1, 2])
    relay.requests.length = 0
    expect(await totals()).toEqual([2, 1, 2])
    expect(relay.requests.filter(({ path }) => path === '/multi-search')).toEqual([])
  })

  test('a vector without a direction is not stored: it would be near to everything', async () => {
    const index = indexWith(testModel)
    await index.prepare()

    await index.apply({ publish: [{ ...documentOf(ledgers), vector: aVector() }], remove: [] }, 'live', aLock())

    expect((await index.search(near(true))).total).toBe(0)
  })
})
