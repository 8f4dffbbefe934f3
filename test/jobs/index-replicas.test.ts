import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { retryDeadLetters } from '../../services/indexer/jobs/retry-dead-letters.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { keyOf } from '../../shared/adapters/servers/meili/documents.js'
import { readSyncPosition } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aModel } from '../support/a-model.js'
import { foundNames } from '../support/found-skills.js'
import { isPost } from '../support/http-relay.js'
import {
  aMinuteLater,
  indexOn,
  readerOf,
  searchesAt,
  searchingAll,
  serversOn,
  skillsNamed,
} from '../support/index-servers.js'
import { openJobBench, refusing } from '../support/job-bench.js'
import { testWithOwnMeilisearch, threeOwnMeilisearches } from '../support/own-servers.js'
import { startHttpRelay } from '../support/relays.js'
import { meiliKey } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog } from '../support/test-log.js'
import { until } from '../support/until.js'
import { withOverrides } from '../support/with-overrides.js'

testWithOwnMeilisearch('an added server is filled, with the vectors of the other, and then is asked', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const model = aModel()
  const bench = await openJobBench({}, temporaryFolder(), model)
  await bench.catalog.put('skills', skillsNamed('river-one', 'river-two'))
  const replicas = serversOn([one.url], { embedder: model })
  await bench.run(syncIndex, { replicas })
  const asked = model.asked.length

  const relay = await startHttpRelay(other.url)
  const urls = [one.url, relay.url]
  const both = serversOn(urls, { embedder: model })
  const before = await readerOf(urls, bench)
  // Prepared, as by an indexer that starts: an empty index.
  const [added] = serversOn([other.url])
  await added.createNext(aLock())
  await added.swap(aLock())
  expect(await Promise.all(Array.from({ length: 8 }, () => foundNames(before, 'river')))).toEqual(
    Array(8).fill(['river-one', 'river-two']),
  )
  expect(searchesAt(relay)).toBe(0)

  await bench.run(syncIndex, { replicas: both })

  expect(model.asked).toHaveLength(asked)
  const { head } = await bench.changes.bounds()
  const positions = both.map((replica) => readSyncPosition(bench.catalog, replica))
  expect(await Promise.all(positions)).toEqual([head, head])
  const after = await readerOf(urls, bench)
  await one.kill()
  expect(await foundNames(after, 'river')).toEqual(['river-one', 'river-two'])
  expect(searchesAt(relay)).toBeGreaterThan(0)
})

testWithOwnMeilisearch(
  'no search fails while servers are killed and hang; the others are kept up to date',
  async () => {
    const servers = await threeOwnMeilisearches()
    const [one, two, three] = servers
    const urls = servers.map(({ url }) => url)
    const bench = await openJobBench()
    await bench.catalog.put('skills', skillsNamed('lake-one'))
    const { log, lines } = keptLog()
    const replicas = serversOn(urls, { log })
    await bench.run(syncIndex, { replicas })
    const reader = await readerOf(urls, bench)

    const stop = searchingAll(reader, 'lake')
    await sleep(200)
    await one.kill()
    await sleep(500)
    two.freeze()
    await sleep(3_000)
    two.thaw()
    await bench.catalog.put('skills', skillsNamed('sea-one'))
    const result = await bench.run(syncIndex, { replicas })

    expect(await stop()).toEqual(['lake-one'])
    expect(result).toEqual({ published: 1, removed: 0, rejected: 0, unavailable: one.url })
    expect(await foundNames(indexOn([two.url]), 'sea')).toEqual(['sea-one'])
    expect(await foundNames(indexOn([three.url]), 'sea')).toEqual(['sea-one'])
    expect(lines).toEqual([expect.objectContaining({ address: one.url, msg: 'this server of the search index fails' })])

    await one.start()
    // A new process: it has not seen the outage.
    expect(await bench.run(syncIndex, { replicas: serversOn(urls) })).toEqual({ published: 1, removed: 0, rejected: 0 })
    expect(await foundNames(indexOn([one.url]), 'sea')).toEqual(['sea-one'])
  },
)

testWithOwnMeilisearch('a job fails when no server answers', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const bench = await openJobBench()
  await Promise.all([one.kill(), other.kill()])

  await expect(bench.run(syncIndex, { replicas: serversOn([one.url, other.url]) })).rejects.toMatchObject({
    code: 'search_unavailable',
  })
})

testWithOwnMeilisearch('a server that lags is not asked until it is up to date again', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const relay = await startHttpRelay(other.url)
  const urls = [one.url, relay.url]
  const bench = await openJobBench()
  const later = { catalog: bench.catalog, changes: aMinuteLater(bench) }
  await bench.catalog.put('skills', skillsNamed('hill-one'))
  await bench.run(syncIndex, { replicas: serversOn(urls) })
  relay.script = async () => null
  await bench.catalog.put('skills', skillsNamed('hill-two'))
  await bench.run(syncIndex, { replicas: serversOn(urls) })
  relay.script = (_request, forward) => forward()
  const searchAll = async () => {
    const reader = await readerOf(urls, later)
    relay.requests.length = 0
    return Promise.all(Array.from({ length: 20 }, () => foundNames(reader, 'hill')))
  }

  expect(await searchAll()).toEqual(Array(20).fill(['hill-one', 'hill-two']))
  expect(searchesAt(relay)).toBe(0)
  // One that lags is not better than none: it would show what is hidden by now.
  await one.kill()
  await expect(foundNames(await readerOf(urls, later), 'hill')).rejects.toMatchObject({ code: 'search_unavailable' })
  await one.start()

  await bench.run(syncIndex, { replicas: serversOn(urls) })
  expect(await searchAll()).toEqual(Array(20).fill(['hill-one', 'hill-two']))
  expect(searchesAt(relay)).toBeGreaterThan(0)
})

testWithOwnMeilisearch('servers are rebuilt one after the other while searches and changes go on', async () => {
  const servers = await threeOwnMeilisearches()
  const urls = servers.map(({ url }) => url)
  const bench = await openJobBench()
  const names = Array.from({ length: 60 }, (_, at) => `valley-${String(at).padStart(2, '0')}`)
  await bench.catalog.put('skills', skillsNamed(...names))
  const replicas = serversOn(urls)
  await bench.run(syncIndex, { replicas })
  const reader = await readerOf(urls, bench)

  const stop = searchingAll(reader, 'valley')
  const rebuilding = bench.run(rebuildIndex, { replicas })
  await bench.catalog.put('skills', skillsNamed('mountain'))
  await bench.run(syncIndex, { replicas })
  const result = await rebuilding

  expect(await stop()).toEqual([names.join(' ')])
  expect(result).toMatchObject({ documents: 61, rejected: 0, resumed: false })
  for (const url of urls) {
    expect(await foundNames(indexOn([url]), 'mountain')).toEqual(['mountain'])
    expect(await new Meilisearch({ host: url, apiKey: meiliKey }).getRawIndexes()).toMatchObject({ total: 1 })
  }
})

testWithOwnMeilisearch('a rebuild does not keep changes from the servers that need none', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('glacier-one'))
  await bench.run(syncIndex, { replicas: serversOn([one.url]) })
  const rebuilding = await bench.catalog.lock(rebuildIndex.name)
  await bench.catalog.put('skills', skillsNamed('glacier-two'))

  const waiting = await bench.run(syncIndex, { replicas: serversOn([one.url, other.url]) })
  expect(waiting).toEqual({ published: 1, removed: 0, rejected: 0, waiting: other.url })
  expect(await foundNames(indexOn([one.url]), 'glacier')).toEqual(['glacier-one', 'glacier-two'])

  await rebuilding?.release()
  await bench.run(syncIndex, { replicas: serversOn([one.url, other.url]) })
  expect(await foundNames(indexOn([other.url]), 'glacier')).toEqual(['glacier-one', 'glacier-two'])
})

testWithOwnMeilisearch('an interrupted rebuild goes on with the servers that it has not reached', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const relay = await startHttpRelay(one.url)
  const urls = [relay.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('forest'))
  await bench.run(syncIndex, { replicas: serversOn(urls) })
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

  await bench.run(rebuildIndex, { replicas: serversOn(urls), signal: stopping.signal }).catch(() => undefined)
  expect(await createdAt()).toBe(before)
  const progress: unknown[] = []
  const watcher = { progress: (...numbers: unknown[]) => void progress.push(numbers) }
  await bench.run(rebuildIndex, { replicas: serversOn(urls), watcher })
  await bench.run(rebuildIndex, { replicas: serversOn(urls), watcher })

  expect(progress.at(-1)).toEqual([2, 2])
  expect(await createdAt()).not.toBe(before)
  expect(await bench.run(syncIndex, { replicas: serversOn(urls) })).toEqual({ published: 0, removed: 0, rejected: 0 })
})

testWithOwnMeilisearch('a server that takes long to be filled does not keep changes from the others', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const relay = await startHttpRelay(other.url)
  const urls = [one.url, relay.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('desert-one'))
  await bench.run(syncIndex, { replicas: serversOn([one.url]) })
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

  const syncing = bench.run(syncIndex, { replicas: serversOn(urls) })
  await bench.catalog.put('skills', skillsNamed('desert-two'))
  const alone = indexOn([one.url])
  await until(async () => (await foundNames(alone, 'desert')).length >= 2)
  fill()
  await syncing

  expect(await foundNames(indexOn([other.url]), 'desert')).toEqual(['desert-one', 'desert-two'])
})

testWithOwnMeilisearch('each server is compared with the log, and repaired', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const urls = [one.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('cliff-one', 'cliff-two'))
  const replicas = serversOn(urls)
  await bench.run(syncIndex, { replicas })
  const [damaged] = urls.slice(1).map((host) => new Meilisearch({ host, apiKey: meiliKey }).index('skills'))
  await damaged?.deleteDocument(keyOf('acme/cliff-two')).waitTask()

  const repaired = await bench.run(reconcile, { replicas })
  expect(repaired).toMatchObject({ compared: 2, missing: 1, extra: 0, different: 0, repaired: 1 })
  expect(bench.findings).toEqual([{ id: 'acme/cliff-two', kind: 'missing', reason: other.url }])
  expect(await foundNames(indexOn([other.url]), 'cliff')).toEqual(['cliff-one', 'cliff-two'])

  await other.kill()
  expect(await bench.run(reconcile, { replicas })).toMatchObject({ compared: 2, missing: 0, unavailable: other.url })
})

testWithOwnMeilisearch('a server that lost its data is not asked until it is filled again', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const urls = [one.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('plain-one'))
  const replicas = serversOn(urls)
  await bench.run(syncIndex, { replicas })
  await new Meilisearch({ host: one.url, apiKey: meiliKey }).index('skills').deleteAllDocuments().waitTask()

  const reader = await readerOf(urls, bench)
  expect(await Promise.all(Array.from({ length: 8 }, () => foundNames(reader, 'plain')))).toEqual(
    Array(8).fill(['plain-one']),
  )
  await bench.run(syncIndex, { replicas })
  expect(await foundNames(indexOn([one.url]), 'plain')).toEqual(['plain-one'])
})

testWithOwnMeilisearch('a dead letter is retried at each server, and stays while one of them fails', async () => {
  const [one, other] = await threeOwnMeilisearches()
  const urls = [one.url, other.url]
  const bench = await openJobBench()
  await bench.catalog.put('skills', skillsNamed('marsh-one', 'marsh-two'))
  const [first, ...others] = serversOn(urls).map((replica) => refusing(replica, 'acme/marsh-two'))
  await bench.run(syncIndex, { replicas: [first ?? bench.index, ...others] })
  const letters = await bench.catalog.listDeadLetters(null, 10)
  expect(letters).toMatchObject([{ id: 'acme/marsh-two', source: 'index' }])
  const [up, down] = [serversOn([one.url])[0], serversOn([other.url])[0]]
  const failing = withOverrides(down, { apply: () => Promise.reject(new Error('down')) })

  await expect(bench.run(retryDeadLetters, { replicas: [up, failing] })).rejects.toThrow('down')
  expect(await foundNames(indexOn([one.url]), 'marsh')).toEqual(['marsh-one', 'marsh-two'])
  expect(await bench.catalog.listDeadLetters(null, 10)).toEqual(letters)

  const retried = await bench.run(retryDeadLetters, { replicas: serversOn(urls) })
  expect(retried).toEqual({ tried: 1, published: 1, removed: 0, rejected: 0 })
  expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  for (const url of urls) {
    expect(await foundNames(indexOn([url]), 'marsh')).toEqual(['marsh-one', 'marsh-two'])
  }
})
