import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import { MeiliRelay } from '../support/meili-relay.js'
import { meiliKey, whenServer } from '../support/servers.js'

whenServer('meilisearch', (url) => {
  let relay: MeiliRelay
  let index: MeiliSearchIndex
  beforeEach(async () => {
    relay = await MeiliRelay.before(url())
    index = new MeiliSearchIndex({ url: relay.url, key: meiliKey, prefix: 'cached_', embedder: null })
    await index.createNext(aLock())
    await index.swap(aLock())
  })
  afterEach(() => relay.close())

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
