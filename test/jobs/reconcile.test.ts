import { describe, expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { skillOf } from '../../shared/records/skill.js'
import { aLock } from '../support/a-lock.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aDocument, aQuery, aSkill, makeSkills } from '../support/factories.js'
import { parseFound } from '../support/found-skills.js'
import { openIndexBench, openJobBench, refusing } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

/** The counts of a reconciliation that finds nothing. */
const noDifference = { missing: 0, extra: 0, different: 0, rejected: 0, repaired: 0, dropped: 0 }

describe('reconcile', () => {
  test('every difference is reported and repaired', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'skills',
      ['a-missing', 'b-same', 'c-different', 'e-removed', 'z-missing'].map((repo) => aSkill({ repo })),
    )
    await bench.catalog.remove('skills', ['acme/e-removed'])
    await bench.run(syncIndex)
    await bench.catalog.put('skills', [aSkill({ repo: 'd-hidden', state: 'hidden' })])
    const extra = ['d-hidden', 'e-removed'].map((repo) => aDocument({ repo }))
    const publish = [aDocument({ repo: 'c-different', name: 'other' }), ...extra]
    await bench.index.apply({ publish, remove: ['acme/a-missing', 'acme/z-missing'] }, 'live', aLock())

    const counts = await bench.run(reconcile)

    expect(counts).toEqual({ ...noDifference, compared: 6, missing: 2, extra: 2, different: 1, repaired: 5 })
    expect(bench.findings).toEqual([
      { kind: 'missing', id: 'acme/a-missing', reason: null },
      { kind: 'different', id: 'acme/c-different', reason: null },
      { kind: 'extra', id: 'acme/d-hidden', reason: null },
      { kind: 'extra', id: 'acme/e-removed', reason: null },
      { kind: 'missing', id: 'acme/z-missing', reason: null },
    ])
    expect(await bench.run(reconcile)).toEqual({ ...noDifference, compared: 4 })
  })

  test('differences are found across pages', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', makeSkills(2_100))
    await bench.run(syncIndex)
    const removed = Array.from({ length: 1_050 }, (_, place) => `acme/many-${place * 2}`)
    await bench.index.apply({ publish: [], remove: removed }, 'live', aLock())

    expect(await bench.run(reconcile)).toEqual({ ...noDifference, compared: 2_100, missing: 1_050, repaired: 1_050 })
    expect(bench.findings.map(({ id }) => id).sort()).toEqual(removed.sort())
  })

  test('a change that was not synced yet is synced, and is no difference', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' }), aSkill({ repo: 'removed' })])
    await bench.run(syncIndex)
    await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' }), aSkill({ repo: 'added' })])
    await bench.catalog.remove('skills', ['acme/removed'])

    expect(await bench.run(reconcile)).toEqual({ compared: 2, ...noDifference })
    expect(await bench.index.status()).toMatchObject({ documents: 2 })
  })

  test('a change while it compares is no difference', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' }), aSkill({ repo: 'removed' })])
    await bench.run(syncIndex)
    const changing = withOverrides(bench.index, {
      list: async (afterId, limit, target) => {
        await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' }), aSkill({ repo: 'added' })])
        await bench.catalog.remove('skills', ['acme/removed'])
        await bench.run(syncIndex)
        return bench.index.list(afterId, limit, target)
      },
    })

    expect(await bench.run(reconcile, { index: changing })).toMatchObject({ ...noDifference })
    expect(bench.findings).toEqual([])
  })

  test('ids beyond ASCII, which others may have stored, are compared in one order', async () => {
    const bench = await openJobBench()
    const strange = ['acme/\u{ff5e}', 'acme/\u{1f600}', 'acme/é'].map((id) => ({ ...aSkill({ repo: 'x' }), id }))
    await bench.catalog.put('skills', [...strange, aSkill({ repo: 'last' })])
    await bench.run(syncIndex)

    expect(await bench.run(reconcile)).toEqual({ ...noDifference, compared: 4 })
  })

  test('a skill that the index rejects is rejected, not missing, until the index accepts it', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'good' }), aSkill({ repo: 'refused' })])
    const index = refusing(bench.index, 'acme/refused')

    expect(await bench.run(syncIndex, { index })).toMatchObject({ published: 1, rejected: 1 })

    expect(await bench.catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/refused', reason: 'too odd' }])
    bench.findings.length = 0
    expect(await bench.run(reconcile, { index })).toEqual({ ...noDifference, compared: 2, rejected: 1 })
    expect(bench.findings).toEqual([{ kind: 'rejected', id: 'acme/refused', reason: 'too odd' }])

    expect(await bench.run(reconcile)).toMatchObject({ missing: 1, rejected: 0, repaired: 1 })
    expect(await bench.run(reconcile)).toEqual({ ...noDifference, compared: 2 })
    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('removals are dropped from the log after the configured time', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'kept' }), aSkill({ repo: 'gone' })])
    await bench.catalog.remove('skills', ['acme/gone'])
    const inDays = (days: number) => () => new Date(Date.now() + days * 86_400_000)

    expect(await bench.run(reconcile, { clock: inDays(89) })).toMatchObject({ dropped: 0 })
    expect((await bench.changes.after(0, 10)).changes.map(({ id }) => id)).toEqual(['acme/kept', 'acme/gone'])
    expect(await bench.run(reconcile, { clock: inDays(91) })).toMatchObject({ dropped: 1 })
    expect((await bench.changes.after(0, 10)).changes.map(({ id }) => id)).toEqual(['acme/kept'])
  })

  test('waits for a sync in progress before it repairs', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'lost' }), aSkill({ repo: 'kept' })])
    await bench.run(syncIndex)
    await bench.index.apply({ publish: [], remove: ['acme/lost'] }, 'live', aLock())
    const syncing = await bench.catalog.lock('sync-index')
    let refused = false
    const watched = withOverrides(bench.catalog, {
      lock: async (name) => {
        const lock = await bench.catalog.lock(name)
        if (name === 'sync-index' && lock === null && !refused) {
          refused = true
          await syncing?.release()
        }
        return lock
      },
    })

    expect(await bench.run(reconcile, { catalog: watched })).toMatchObject({ missing: 1, repaired: 1 })
    expect(refused).toBe(true)
  })
})

describe('documents', () => {
  /** As if the events until now had been lost unnoticed. */
  async function skipEvents(db: Db): Promise<void> {
    const stream = db.watch([], { maxAwaitTimeMS: 1 })
    await stream.tryNext()
    await db.collection('change_log').updateOne({}, { $set: { 'position.token': stream.resumeToken } })
    await stream.close()
  }

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

    test('differences that no event has reported are found, repaired and indexed', async () => {
      const { db, skills, catalog, run, logged, indexed, bench } = await aCrawledBench()
      await skills.deleteOne({ repo: 'one' })
      await skills.updateOne({ repo: 'two' }, { $set: { stars: 7 } })
      await skills.insertOne({ owner: 'acme', repo: 'new' })
      await skipEvents(db)
      await run(ingest)
      expect(await logged()).toEqual([])

      expect(await run(reconcile)).toEqual({
        ...noDifference,
        compared: 3,
        missing: 1,
        extra: 1,
        different: 1,
        repaired: 3,
      })

      expect(bench.findings.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual([
        'different acme/two',
        'extra acme/one',
        'missing acme/new',
      ])
      expect((await logged()).sort()).toEqual(['-acme/one', 'acme/new', 'acme/two'])
      expect(await indexed()).toEqual(['acme/new', 'acme/three', 'acme/two'])
      expect(parseFound(await catalog.findSkill('acme/two'))).toMatchObject({ skill: { stars: 7 } })
      expect((await bench.index.search(aQuery('two'))).hits.map((hit) => skillOf(hit).stars)).toEqual([7])
      expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3 })
    })

    test('a document that is written after the last event was read, and before its comparison, is no difference', async () => {
      const { skills, documents, catalog, changes, bench, logged } = await aCrawledBench()
      let isWritten = false
      const busy = withOverrides(documents, {
        ingest: async (lock, signal) => {
          const ingested = await documents.ingest(lock, signal)
          if (!ingested.more && !isWritten) {
            isWritten = true
            await skills.updateOne({ repo: 'two' }, { $set: { stars: 7 } })
          }
          return ingested
        },
      })

      const result = await bench.run(reconcile, { catalog, changes, ingest: busy })

      expect(result).toEqual({ compared: 3, ...noDifference })
      expect(await logged()).toEqual(['acme/two'])
    })

    test('rejected documents are reported, and dead letters of deleted ones are dropped', async () => {
      const { skills, catalog, run, bench } = await aCrawledBench()
      await skills.insertOne({ owner: 'acme', repo: 'bad', state: 'gone' })
      await run(ingest)
      const since = '2026-01-01T00:00:00.000Z'
      const gone = Array.from({ length: 1_200 }, (_, place) => `acme/gone-${place}`)
      await catalog.keepDeadLetters(
        gone.map((id) => ({ id, reason: 'name: is missing', since, source: 'document' })),
        aLock({ name: 'ingest' }),
      )
      bench.findings.length = 0

      expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3, rejected: 1 })

      expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/bad' }])
      expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/bad', source: 'document' }])
    })

    test('what is written while documents are compared is no difference', async () => {
      const { skills, documents, catalog, changes, bench, logged, run } = await aCrawledBench()
      const overtaken = withOverrides(documents, {
        compare: () => {
          const comparison = documents.compare()
          return withOverrides(comparison, {
            step: async (lock) => {
              await skills.replaceOne({ repo: 'two' }, { owner: 'acme', repo: 'two', stars: 2 })
              await skills.updateOne({ repo: 'three' }, { $set: { repo: 'renamed' } })
              return comparison.step(lock)
            },
          })
        },
      })

      // What the comparison is the first to see counts as found by it.
      await bench.run(reconcile, { catalog, changes, ingest: overtaken })
      await run(ingest)

      expect((await logged()).sort()).toEqual(['-acme/three', 'acme/renamed', 'acme/two'])
      expect(await run(reconcile)).toEqual({ ...noDifference, compared: 3 })
    })
  })
})
