import { expect, test } from '@jest/globals'
import { ObjectId } from 'mongodb'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { aLock } from '../support/a-lock.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { openIndexBench, openJobBench } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

test('an embedded catalog has nothing to ingest', async () => {
  const bench = await openJobBench()

  expect(await ingest.hasWork?.(bench)).toBe(false)
  expect(await bench.run(ingest)).toEqual({ published: 0, removed: 0, rejected: 0 })
})

test('the sync follows an ingest that has logged changes', () => {
  expect(ingest.followedBy?.({ published: 1, removed: 0, rejected: 0 })).toEqual(['sync-index'])
  expect(ingest.followedBy?.({ published: 0, removed: 1, rejected: 0 })).toEqual(['sync-index'])
  expect(ingest.followedBy?.({ published: 0, removed: 0, rejected: 1 })).toEqual([])
})

whenServer('mongodb', (url) => {
  async function aCrawledBench() {
    const crawled = await openCrawledCatalog(url())
    const bench = await openIndexBench()
    const stores = { catalog: crawled.catalog, changes: crawled.changes, ingest: crawled.documents }
    const run = (job: Job, overrides: Partial<typeof stores> = {}) => bench.run(job, { ...stores, ...overrides })
    const logged = async (since = 0) =>
      (await crawled.changes.after(since, 10_000)).changes.map(({ id, contentHash }) =>
        contentHash === null ? `-${id}` : id,
      )
    const indexed = async () => (await bench.index.list(null, 100, 'live')).map(({ id }) => id)
    const hasWork = () => ingest.hasWork?.({ ...bench, ...stores })
    return { ...crawled, bench, run, logged, indexed, hasWork }
  }

  test("a crawler's changes to its documents are logged and indexed, and nothing else", async () => {
    const { skills, changes, catalog, bench, run, logged, indexed } = await aCrawledBench()
    await skills.insertMany(
      ['One', 'Two', 'Three', 'Four'].map((repo) => ({ owner: 'Acme', repo, stars: 1, updatedAt: new Date() })),
    )
    const nameless = '65a000000000000000000000'
    await skills.insertMany([
      { owner: 'acme', repo: 'bad', state: 'gone' },
      { _id: new ObjectId(nameless), other: true },
    ])
    expect(await run(ingest)).toEqual({ published: 4, removed: 0, rejected: 2 })
    expect(bench.findings.map(({ kind, id }) => [kind, id]).sort()).toEqual([
      ['rejected', nameless],
      ['rejected', 'acme/bad'],
    ])
    expect(await catalog.listDeadLetters(null, 10)).toMatchObject([
      { id: nameless, source: 'document' },
      { id: 'acme/bad', source: 'document', reason: expect.stringMatching(/^state: /) },
    ])
    expect(await catalog.findSkill('acme/bad')).toEqual({ state: 'unknown' })
    expect((await logged()).sort()).toEqual(['acme/four', 'acme/one', 'acme/three', 'acme/two'])
    await run(syncIndex)
    const { head } = await changes.bounds()

    const updatedAt = new Date()
    const seconds = Math.floor(updatedAt.getTime() / 1_000)
    await skills.replaceOne({ repo: 'One' }, { owner: 'Acme', repo: 'One', stars: 5 })
    await skills.updateOne({ repo: 'Two' }, { $set: { hidden: true, updatedAt: updatedAt.toISOString() } })
    await skills.updateOne({ repo: 'Three' }, { $set: { repo: 'Renamed', updatedAt: seconds } })
    await skills.updateOne({ repo: 'Four' }, { $set: { state: 'removed', updatedAt } })

    expect(await run(ingest)).toMatchObject({ published: 2, removed: 3 })
    expect((await logged(head)).sort()).toEqual(['-acme/four', '-acme/three', '-acme/two', 'acme/one', 'acme/renamed'])
    expect(await run(ingest)).toMatchObject({ published: 0, removed: 0 })
    expect(await run(syncIndex)).toEqual({ published: 2, removed: 3, rejected: 0 })
    expect(await indexed()).toEqual(['acme/one', 'acme/renamed'])
    expect(await run(reconcile)).toMatchObject({ missing: 0, extra: 0, different: 0, rejected: 2 })
  })

  test('has work when documents are new, and none once they are ingested', async () => {
    const { skills, run, hasWork } = await aCrawledBench()
    await run(ingest)
    expect(await hasWork()).toBe(false)

    await skills.insertOne({ owner: 'acme', repo: 'tool' })
    expect(await hasWork()).toBe(true)
    await run(ingest)
    expect(await hasWork()).toBe(false)
  })

  test('the run after one that ended between two batches skips and repeats nothing', async () => {
    const { skills, documents, changes, run, logged } = await aCrawledBench()
    await skills.insertMany(Array.from({ length: 1_100 }, (_, n) => ({ owner: 'acme', repo: `many-${n}` })))
    let batches = 0
    const failing = withOverrides(documents, {
      ingest: (lock) => {
        batches += 1
        return batches === 2 ? Promise.reject(new Error('killed')) : documents.ingest(lock)
      },
    })

    await expect(run(ingest, { ingest: failing })).rejects.toThrow('killed')
    expect(await changes.bounds()).toMatchObject({ complete: false })
    const before = await logged()

    expect(await run(ingest)).toMatchObject({ published: 1_100 - before.length, removed: 0 })
    expect(before).toHaveLength(500)
    expect(new Set(await logged()).size).toBe(1_100)
    expect(await changes.bounds()).toMatchObject({ complete: true })
  })

  test('a comparison begins again where one of its steps has failed', async () => {
    const { skills, documents, run, logged } = await aCrawledBench()
    await skills.insertMany(Array.from({ length: 1_600 }, (_, n) => ({ owner: 'acme', repo: `many-${n}` })))
    await documents.ingest(aLock())
    await expect(documents.ingest(aLock({ epoch: -1 }))).rejects.toMatchObject({ code: 'lock_lost' })

    await run(ingest)

    expect(new Set(await logged()).size).toBe(1_600)
  })
})
