import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { keyOf } from '../../shared/adapters/servers/meili/documents.js'
import { ReplicatedIndex } from '../../shared/adapters/servers/meili/replicas.js'
import { meiliServers } from '../../shared/adapters/servers/open-servers.js'
import type { Stores } from '../../shared/adapters/stores.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import { skillOf } from '../../shared/records/skill.js'
import { readSyncPosition } from '../../shared/state-keys.js'
import { aModel } from '../support/a-model.js'
import { aQuery, aSkill } from '../support/factories.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { isPost, MeiliRelay } from '../support/meili-relay.js'
import { startOwnMeilisearch, testWithOwnMeilisearch } from '../support/own-meilisearch.js'
import { meiliKey } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

/** The index on these servers. */
function indexOn(urls: string[], { embedder = null as Embedder | null, log = silentLog() } = {}): Stores['index'] {
  const [first = '', ...others] = urls
  const { index } = meiliServers({ meiliUrls: [first, ...others], meiliKey }, embedder, log)
  closing.push(() => index.close())
  return index
}

/** The same as a query service opens it: it looks at the servers. @param changes the log from which lags are read */
async function readerOf(
  urls: string[],
  { catalog, changes }: Pick<JobBench, 'catalog' | 'changes'>,
  log = silentLog(),
) {
  const index = indexOn(urls, { log })
  if (index instanceof ReplicatedIndex) {
    await index.follow({ catalog, changes })
  }
  return index
}

/** The change log of a minute ago. */
const aMinuteLater = ({ changes }: JobBench): JobBench['changes'] =>
  withOverrides(changes, {
    after: async (...given) => {
      const found = await changes.after(...given)
      const earlier = (time: string) => new Date(Date.parse(time) - 60_000).toISOString()
      return { ...found, changes: found.changes.map((each) => ({ ...each, changedAt: earlier(each.changedAt) })) }
    },
  })

async function relayTo(url: string): Promise<MeiliRelay> {
  const relay = await MeiliRelay.before(url)
  closing.push(() => relay.close())
  return relay
}

const searchesAt = ({ requests }: MeiliRelay) => requests.filter(({ path }) => path === '/multi-search').length

const found = async (index: Pick<Stores['index'], 'search'>, text: string) =>
  (await index.search(aQuery(text, { limit: 100 }))).hits.map((hit) => skillOf(hit).name).sort()

const skillsNamed = (...names: string[]) => names.map((name) => aSkill({ repo: name, name }))

/** Searches without a pause until it is stopped. @returns the different answers */
function searchingAll(index: Pick<Stores['index'], 'search'>, text: string) {
  let isStopped = false
  const answers = new Set<string>()
  const loops = Array.from({ length: 6 }, async () => {
    while (!isStopped) {
      answers.add((await found(index, text)).join(' '))
    }
  })
  return async () => {
    isStopped = true
    await Promise.all(loops)
    return [...answers]
  }
}

testWithOwnMeilisearch('an added server is filled, with the vectors of the other, and then is asked', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const model = aModel()
  const bench = await openJobBench({}, temporaryFolder(), model)
  await bench.catalog.put('skills', skillsNamed('river-one', 'river-two'))
  const alone = indexOn([one.url], { embedder: model })
  await bench.run(syncIndex, { index: alone })
  const asked = model.asked.length

  const relay = await relayTo(other.url)
  const urls = [one.url, relay.url]
  const both = indexOn(urls, { embedder: model })
  const before = await readerOf(urls, bench)
  // Prepared, as by an indexer that starts: an empty index.
  await indexOn([other.url]).createNext({ name: 'test', epoch: 0, check: () => undefined })
  await indexOn([other.url]).swap({ name: 'test', epoch: 0, check: () => undefined })
  expect(await Promise.all(Array.from({ length: 8 }, () => found(before, 'river')))).toEqual(
    Array(8).fill(['river-one', 'river-two']),
  )
  expect(searchesAt(relay)).toBe(0)

  await bench.run(syncIndex, { index: both })

  expect(model.asked).toHaveLength(asked)
  const { head } = await bench.changes.bounds()
  const positions = (both.replicas ?? []).map((replica) => readSyncPosition(bench.catalog, replica))
  expect(await Promise.all(positions)).toEqual([head, head])
  const after = await readerOf(urls, bench)
  await one.kill()
  expect(await found(after, 'river')).toEqual(['river-one', 'river-two'])
  expect(searchesAt(relay)).toBeGreaterThan(0)
})

testWithOwnMeilisearch(
  'no search fails while servers are killed and hang; the others are kept up to date',
  async () => {
    const servers = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch(), startOwnMeilisearch()])
    const [one, two, three] = servers
    const urls = servers.map(({ url }) => url)
    const bench = await openJobBench()
    await bench.catalog.put('skills', skillsNamed('lake-one'))
    const { log, lines } = keptLog()
    const index = indexOn(urls, { log })
    await bench.run(syncIndex, { index })
    const reader = await readerOf(urls, bench)

    const stop = searchingAll(reader, 'lake')
    await sleep(200)
    await one.kill()
    await sleep(500)
    two.freeze()
    await sleep(3_000)
    two.thaw()
    await bench.catalog.put('skills', skillsNamed('sea-one'))
    const result = await bench.run(syncIndex, { index })

    expect(await stop()).toEqual(['lake-one'])
    expect(result).toEqual({ published: 1, removed: 0, rejected: 0, unavailable: one.url })
    expect(await found(indexOn([two.url]), 'sea')).toEqual(['sea-one'])
    expect(await found(indexOn([three.url]), 'sea')).toEqual(['sea-one'])
    expect(lines).toEqual([expect.objectContaining({ address: one.url, msg: 'this server of the search index fails' })])

    await one.start()
    // A new process: it has not seen the outage.
    expect(await bench.run(syncIndex, { index: indexOn(urls) })).toEqual({ published: 1, removed: 0, rejected: 0 })
    expect(await found(indexOn([one.url]), 'sea')).toEqual(['sea-one'])
  },
)

testWithOwnMeilisearch('a job fails when no server answers', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const bench = await openJobBench()
  await Promise.all([one.kill(), other.kill()])

  await expect(bench.run(syncIndex, { index: indexOn([one.url, other.url]) })).rejects.toMatchObject({
    code: 'search_unavailable',
  })
})

testWithOwnMeilisearch('a server that lags is not asked until it is up to date again', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const relay = await relayTo(other.url)
  const urls = [one.url, relay.url]
  const bench = await openJobBench()
  const later = { catalog: bench.catalog, changes: aMinuteLater(bench) }
  await bench.catalog.put('skills', skillsNamed('hill-one'))
  await bench.run(syncIndex, { index: indexOn(urls) })
  relay.script = async () => null
  await bench.catalog.put('skills', skillsNamed('hill-two'))
  await bench.run(syncIndex, { index: indexOn(urls) })
  relay.script = (_request, forward) => forward()
  const searchAll = async () => {
    const reader = await readerOf(urls, later)
    relay.requests.length = 0
    return Promise.all(Array.from({ length: 20 }, () => found(reader, 'hill')))
  }

  expect(await searchAll()).toEqual(Array(20).fill(['hill-one', 'hill-two']))
  expect(searchesAt(relay)).toBe(0)
  // One that lags is not better than none: it would show what is hidden by now.
  await one.kill()
  await expect(found(await readerOf(urls, later), 'hill')).rejects.toMatchObject({ code: 'search_unavailable' })
  await one.start()

  await bench.run(syncIndex, { index: indexOn(urls) })
  expect(await searchAll()).toEqual(Array(20).fill(['hill-one', 'hill-two']))
  expect(searchesAt(relay)).toBeGreaterThan(0)
})

testWithOwnMeilisearch('servers are rebuilt one after the other while searches and changes go on', async () => {
  const servers = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch(), startOwnMeilisearch()])
  const urls = servers.map(({ url }) => url)
  const bench = await openJobBench()
  const names = Array.from({ length: 60 }, (_, at) => `valley-${String(at).padStart(2, '0')}`)
  await bench.catalog.put('skills', skillsNamed(...names))
  const index = indexOn(urls)
  await bench.run(syncIndex, { index })
  const reader = await readerOf(urls, bench)

  const stop = searchingAll(reader, 'valley')
  const rebuilding = bench.run(rebuildIndex, { index })
  await bench.catalog.put('skills', skillsNamed('mountain'))
  await bench.run(syncIndex, { index })
  const result = await rebuilding

  expect(await stop()).toEqual([names.join(' ')])
  expect(result).toMatchObject({ documents: 61, rejected: 0, resumed: false })
  for (const url of urls) {
    expect(await found(indexOn([url]), 'mountain')).toEqual(['mountain'])
    expect(await new Meilisearch({ host: url, apiKey: meiliKey }).getRawIndexes()).toMatchObject({ total: 1 })
  }
})

testWithOwnMeilisearch('a rebuild does not keep changes from the servers that need none', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('glacier-one'))
  await bench.run(syncIndex, { index: indexOn([one.url]) })
  const rebuilding = await bench.catalog.lock(rebuildIndex.name)
  await bench.catalog.put('skills', skillsNamed('glacier-two'))

  const waiting = await bench.run(syncIndex, { index: indexOn([one.url, other.url]) })
  expect(waiting).toEqual({ published: 1, removed: 0, rejected: 0, waiting: other.url })
  expect(await found(indexOn([one.url]), 'glacier')).toEqual(['glacier-one', 'glacier-two'])

  await rebuilding?.release()
  await bench.run(syncIndex, { index: indexOn([one.url, other.url]) })
  expect(await found(indexOn([other.url]), 'glacier')).toEqual(['glacier-one', 'glacier-two'])
})

testWithOwnMeilisearch('an interrupted rebuild goes on with the servers that it has not reached', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const relay = await relayTo(one.url)
  const urls = [relay.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('forest'))
  await bench.run(syncIndex, { index: indexOn(urls) })
  const stopping = new AbortController()
  relay.script = async (request, forward) => {
    if (request.path === '/swap-indexes') {
      queueMicrotask(() => stopping.abort(new Error('stopped')))
    }
    return forward()
  }
  const createdAt = async () =>
    (await new Meilisearch({ host: other.url, apiKey: meiliKey }).getRawIndex('skills')).createdAt
  const before = await createdAt()

  await bench.run(rebuildIndex, { index: indexOn(urls), signal: stopping.signal }).catch(() => undefined)
  expect(await createdAt()).toBe(before)
  relay.requests.length = 0
  await bench.run(rebuildIndex, { index: indexOn(urls) })

  expect(await createdAt()).not.toBe(before)
  expect(await bench.run(syncIndex, { index: indexOn(urls) })).toEqual({ published: 0, removed: 0, rejected: 0 })
})

testWithOwnMeilisearch('a server that takes long to be filled does not keep changes from the others', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const relay = await relayTo(other.url)
  const urls = [one.url, relay.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('desert-one'))
  await bench.run(syncIndex, { index: indexOn([one.url]) })
  let fill: () => void = () => undefined
  const filled = new Promise<void>((resolve) => {
    fill = resolve
  })
  relay.script = async (request, forward) => {
    if (isPost(request) && request.path.endsWith('/documents')) {
      await filled
    }
    return forward()
  }

  const syncing = bench.run(syncIndex, { index: indexOn(urls) })
  await bench.catalog.put('skills', skillsNamed('desert-two'))
  const alone = indexOn([one.url])
  while ((await found(alone, 'desert')).length < 2) {
    await sleep(50)
  }
  fill()
  await syncing

  expect(await found(indexOn([other.url]), 'desert')).toEqual(['desert-one', 'desert-two'])
})

testWithOwnMeilisearch('each server is compared with the log, and repaired', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const urls = [one.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('cliff-one', 'cliff-two'))
  const index = indexOn(urls)
  await bench.run(syncIndex, { index })
  const [damaged] = urls.slice(1).map((host) => new Meilisearch({ host, apiKey: meiliKey }).index('skills'))
  await damaged?.deleteDocument(keyOf('acme/cliff-two')).waitTask()

  const repaired = await bench.run(reconcile, { index })
  expect(repaired).toMatchObject({ compared: 2, missing: 1, extra: 0, different: 0, repaired: 1 })
  expect(bench.findings).toEqual([{ id: 'acme/cliff-two', kind: 'missing', reason: other.url }])
  expect(await found(indexOn([other.url]), 'cliff')).toEqual(['cliff-one', 'cliff-two'])

  await other.kill()
  expect(await bench.run(reconcile, { index })).toMatchObject({ compared: 2, missing: 0, unavailable: other.url })
})

testWithOwnMeilisearch('a server that lost its data is not asked until it is filled again', async () => {
  const [one, other] = await Promise.all([startOwnMeilisearch(), startOwnMeilisearch()])
  const urls = [one.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('plain-one'))
  const index = indexOn(urls)
  await bench.run(syncIndex, { index })
  await new Meilisearch({ host: one.url, apiKey: meiliKey }).index('skills').deleteAllDocuments().waitTask()

  const reader = await readerOf(urls, bench)
  expect(await Promise.all(Array.from({ length: 8 }, () => found(reader, 'plain')))).toEqual(
    Array(8).fill(['plain-one']),
  )
  await bench.run(syncIndex, { index })
  expect(await found(indexOn([one.url]), 'plain')).toEqual(['plain-one'])
})
