import { expect, test } from '@jest/globals'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { skillOf } from '../../shared/records/skill.js'
import { aFence } from '../support/a-fence.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aQuery, aSkill } from '../support/factories.js'
import { openIndexBench } from '../support/job-bench.js'
import { noDifference } from '../support/no-difference.js'
import { parseFound } from '../support/parse-found.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

whenServer('mongodb', (url) => {
  async function aCrawledBench() {
    const crawled = await openCrawledCatalog(url())
    const bench = await openIndexBench()
    const { catalog, changes, documents } = crawled
    const run = (job: Job) => bench.run(job, { catalog, changes, ingest: documents })
    await crawled.skills.insertMany(['one', 'two', 'three'].map((repo) => ({ owner: 'acme', repo, stars: 1 })))
    await run(ingest)
    await run(syncIndex)
    const { head } = await changes.bounds()
    const logged = async () =>
      (await changes.after(head, 10)).changes.map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id))
    const indexed = async () => (await bench.index.list(null, 10, 'live')).map(({ id }) => id)
    return { ...crawled, bench, run, logged, indexed }
  }

  test('a catalog that was ingested and synced has no difference', async () => {
    const { run, logged } = await aCrawledBench()

    expect(await run(reconcile)).toEqual({ compared: 3, ...noDifference })
    expect(await logged()).toEqual([])
  })

  test('deleted documents are logged as removed, and leave the index', async () => {
    const { skills, run, logged, indexed, bench } = await aCrawledBench()
    await skills.deleteOne({ repo: 'one' })
    await run(ingest)
    expect(await logged()).toEqual([])

    expect(await run(reconcile)).toEqual({ ...noDifference, compared: 2, extra: 1, repaired: 1 })

    expect(bench.findings).toEqual([{ kind: 'extra', id: 'acme/one', reason: null }])
    expect(await logged()).toEqual(['-acme/one'])
    expect(await indexed()).toEqual(['acme/three', 'acme/two'])
    expect(await run(reconcile)).toEqual({ ...noDifference, compared: 2 })
  })

  test('a document that changed without its changed-field is logged and indexed', async () => {
    const { skills, catalog, run, logged, bench } = await aCrawledBench()
    await skills.updateOne({ repo: 'two' }, { $set: { stars: 7 } })
    await run(ingest)
    expect(await logged()).toEqual([])

    // Its comparison marks the document, which the ingest before the repair then logs.
    expect(await run(reconcile)).toMatchObject({ ...noDifference })

    expect(await logged()).toEqual(['acme/two'])
    expect(parseFound(await catalog.findSkill('acme/two'))).toMatchObject({ skill: { stars: 7 } })
    expect((await bench.index.search(aQuery('two'))).hits.map((hit) => skillOf(hit).stars)).toEqual([7])
    expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3 })
  })

  test('a duplicate takes the place of a first document that is gone', async () => {
    const { skills, catalog, run, indexed } = await aCrawledBench()
    await skills.insertOne({ owner: 'Acme', repo: 'One', stars: 9 })
    await run(ingest)
    expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ id: expect.stringMatching(/^acme\/one#/) }])
    await skills.deleteOne({ repo: 'one' })

    await run(reconcile)
    await run(reconcile)

    expect(parseFound(await catalog.findSkill('acme/one'))).toMatchObject({ state: 'published', skill: { stars: 9 } })
    expect(await catalog.listDeadLetters(null, 10)).toEqual([])
    expect(await indexed()).toEqual(['acme/one', 'acme/three', 'acme/two'])
  })

  test('rejected documents are reported, and dead letters of deleted ones are dropped', async () => {
    const { skills, catalog, run, bench } = await aCrawledBench()
    await skills.insertOne({ owner: 'acme', repo: 'bad', state: 'gone' })
    await run(ingest)
    const since = '2026-01-01T00:00:00.000Z'
    const gone = Array.from({ length: 1_200 }, (_, place) => `acme/gone-${place}`)
    await catalog.keepDeadLetters(
      gone.map((id) => ({ id, reason: 'name: is missing', since, source: 'document' })),
      aFence({ name: 'ingest' }),
    )
    bench.findings.length = 0

    expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3, rejected: 1 })

    expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/bad' }])
    expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/bad', source: 'document' }])
  })

  test('a document that is replaced whole while it is compared is not logged as removed', async () => {
    const { skills, documents, catalog, changes, bench, logged } = await aCrawledBench()
    const overtaken = withOverrides(documents, {
      scanHashes: async (...page) => {
        await skills.replaceOne({ repo: 'two' }, { owner: 'acme', repo: 'two', stars: 2 })
        return documents.scanHashes(...page)
      },
    })

    await bench.run(reconcile, { catalog, changes, ingest: overtaken })

    expect(await logged()).toEqual(['acme/two'])
  })

  test('a document that is written again before the repair is no difference', async () => {
    const { skills, documents, catalog, changes, bench, logged } = await aCrawledBench()
    await catalog.put('skills', [aSkill({ repo: 'new' })])
    const overtaken = withOverrides(documents, {
      ingestIds: async (...args) => {
        await skills.updateMany({ repo: { $in: ['new'] } }, { $inc: { stars: 1 }, $set: { updatedAt: new Date() } })
        return documents.ingestIds(...args)
      },
    })

    expect(await bench.run(reconcile, { catalog, changes, ingest: overtaken })).toMatchObject(noDifference)

    expect(await logged()).toEqual(['acme/new'])
  })

  test('a document that is renamed before the repair is no difference', async () => {
    const { skills, documents, catalog, changes, bench, run } = await aCrawledBench()
    await catalog.put('skills', [aSkill({ repo: 'new' })])
    const overtaken = withOverrides(documents, {
      ingestIds: async (...args) => {
        await skills.updateMany({ repo: 'new' }, { $set: { repo: 'renamed', updatedAt: new Date() } })
        return documents.ingestIds(...args)
      },
    })

    expect(await bench.run(reconcile, { catalog, changes, ingest: overtaken })).toMatchObject(noDifference)
    expect(bench.findings).toEqual([])

    await run(ingest)
    expect(await changes.logged(['acme/new', 'acme/renamed'])).toMatchObject([
      { id: 'acme/new', contentHash: null },
      { id: 'acme/renamed', contentHash: expect.any(String) },
    ])
  })

  test('a log that was lost is written again', async () => {
    const { db, changes, run } = await aCrawledBench()
    await db.collection('changes').drop()
    await db.collection('change_log').drop()

    await run(reconcile)

    expect(await changes.countPublished()).toBe(3)
    expect(await changes.bounds()).toMatchObject({ complete: true })
    expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3 })
  })
})
