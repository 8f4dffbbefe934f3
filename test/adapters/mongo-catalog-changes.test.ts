import { describe, expect, test } from '@jest/globals'
import { ObjectId } from 'mongodb'
import { defaultDocumentSettings, FieldNamesText } from '../../shared/records/document-settings.js'
import { aLock } from '../support/a-lock.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { whenServer } from '../support/servers.js'

/** What to do where documents of one id are several skills. */
const remedy =
  'If its repository holds several skills, name the field that distinguishes them: MONGODB_FIELDS=\'{"skills":{"skill":"name"}}\''

/** Ingests all new documents. Returns the ids of logged changes, with a minus for removals. */
const ingested = async ({ ingest }: CrawledCatalog): Promise<string[]> =>
  (await ingest()).logged.map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id)).sort()

whenServer('mongodb', (url) => {
  describe('documents of other applications', () => {
    test('rows of a version without a filter get its key, which is no change', async () => {
      const { skills, db, ingest, listed } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 5 })
      await ingest()
      await db.collection('catalog_skills').updateMany({}, { $unset: { 'keys.stars': 1 }, $set: { made: 'earlier' } })
      await db.collection<{ _id: string }>('change_log').updateOne({ _id: 'head' }, { $unset: { 'position.keys': 1 } })
      expect(await listed({ minStars: 5 })).toEqual([])

      expect(await ingest()).toEqual({ logged: [], rejected: [] })

      expect(await listed({ minStars: 5 })).toHaveLength(1)
    })

    test('a skill that is often renamed in place leaves its old ids, which lead to the present one', async () => {
      const crawled = await openCrawledCatalog(url())
      const { catalog, skills } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'Tool-0' })
      await ingested(crawled)
      const names = Array.from({ length: 6 }, (_, at) => at)

      for (const name of names) {
        await skills.updateOne({ repo: `Tool-${name}` }, { $set: { repo: `Tool-${name + 1}`, updatedAt: new Date() } })
        expect(await ingested(crawled)).toEqual([`-acme/tool-${name}`, `acme/tool-${name + 1}`])
      }

      for (const name of names) {
        expect(await catalog.findSkill(`acme/tool-${name}`)).toEqual({ state: 'renamed', presentId: 'acme/tool-6' })
      }
    })

    test("skills that exchange their ids have each other's", async () => {
      const crawled = await openCrawledCatalog(url())
      const { skills, listed } = crawled
      await skills.insertMany(
        ['a', 'b'].map((repo) => ({ _id: repo as unknown as ObjectId, owner: 'acme', repo, name: repo })),
      )
      await ingested(crawled)

      await skills.updateOne({ name: 'a' }, { $set: { repo: 'b' } })
      await skills.updateOne({ name: 'b' }, { $set: { repo: 'a' } })

      expect(await ingested(crawled)).toEqual(['acme/a', 'acme/b'])
      expect((await listed()).map(({ id, name }) => [id, name])).toEqual([
        ['acme/b', 'a'],
        ['acme/a', 'b'],
      ])
    })

    test('the second of two documents of one skill replaces a first that is deleted or renamed', async () => {
      const crawled = await openCrawledCatalog(url())
      const { catalog, skills, listed } = crawled
      const ids = [new ObjectId(), new ObjectId(), new ObjectId()]
      await skills.insertMany(ids.map((_id, n) => ({ _id, owner: 'acme', repo: 'tool', stars: n })))
      await ingested(crawled)
      expect(await listed()).toMatchObject([{ stars: 0 }])

      await skills.deleteOne({ stars: 0 })
      expect(await ingested(crawled)).toEqual(['-acme/tool', 'acme/tool'])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 1 }])
      await skills.updateOne({ stars: 1 }, { $set: { repo: 'other' } })
      await ingested(crawled)

      expect(await listed()).toMatchObject([
        { id: 'acme/other', stars: 1 },
        { id: 'acme/tool', stars: 2 },
      ])
      expect(await catalog.listDeadLetters(null, 10)).toEqual([])
    })

    test('documents that are several skills of a repository are, by the field that the reason says to name', async () => {
      const { address, skills, listed, ingest } = await openCrawledCatalog(url())
      await skills.insertMany(['Fill Forms', 'Merge'].map((name) => ({ owner: 'acme', repo: 'pdf', name })))
      expect((await ingest()).rejected).toEqual([expect.objectContaining({ reason: expect.stringContaining(remedy) })])
      expect(await listed()).toHaveLength(1)
      const [, setting = ''] = /MONGODB_FIELDS='(.*)'/.exec(remedy) ?? []

      const fields = FieldNamesText.parse(setting)
      const named = await openCrawledCatalog(url(), address, { ...defaultDocumentSettings, fields })
      await named.compare()

      expect((await named.listed()).map(({ id }) => id)).toEqual(['acme/pdf@fill-forms', 'acme/pdf@merge'])
    })
  })

  describe('logging of changes', () => {
    test('events that a process has read and not logged are read again by the next one', async () => {
      const crawled = await openCrawledCatalog(url())
      const { address, skills } = crawled
      await ingested(crawled)
      await skills.insertOne({ owner: 'acme', repo: 'tool' })
      await expect(crawled.documents.ingest(aLock({ epoch: -1 }))).rejects.toMatchObject({ code: 'lock_lost' })

      const next = await openCrawledCatalog(url(), address)

      expect(await ingested(next)).toEqual(['acme/tool'])
      await skills.insertOne({ owner: 'acme', repo: 'other' })
      // Also by the same process, and by both only once.
      expect(await ingested(crawled)).toEqual(['acme/other'])
      expect(await ingested(next)).toEqual([])
    })

    test('events that are read a second time change nothing', async () => {
      const crawled = await openCrawledCatalog(url())
      const { changes, db, skills } = crawled
      await ingested(crawled)
      const { position } = await crawled.catalog.rows.head()
      await skills.insertOne({ owner: 'acme', repo: 'tool' })
      await ingested(crawled)
      const before = await changes.bounds()

      await db.collection('change_log').updateOne({}, { $set: { position } })

      expect(await ingested(crawled)).toEqual([])
      expect(await changes.bounds()).toEqual(before)
    })

    test('a position that the server does not know any more is followed by a comparison', async () => {
      const crawled = await openCrawledCatalog(url())
      const { db, skills, listed } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool' })
      await skills.insertOne({ owner: 'acme', repo: 'gone' })
      await ingested(crawled)
      const lost = { token: { _data: '0000000000000001' }, mustCompare: false }
      await db.collection('change_log').updateOne({}, { $set: { position: lost } })
      await skills.insertOne({ owner: 'acme', repo: 'new' })
      await skills.deleteOne({ repo: 'gone' })

      expect(await ingested(crawled)).toEqual(['-acme/gone', 'acme/new'])

      expect((await listed()).map(({ id }) => id)).toEqual(['acme/new', 'acme/tool'])
      expect(await crawled.catalog.rows.head()).toMatchObject({ position: { mustCompare: false } })
    })

    test('a collection that is dropped leaves no skill', async () => {
      const crawled = await openCrawledCatalog(url())
      const { skills, listed } = crawled
      await skills.insertMany(['a', 'b'].map((repo) => ({ owner: 'acme', repo })))
      await ingested(crawled)

      await skills.drop()

      expect(await ingested(crawled)).toEqual(['-acme/a', '-acme/b'])
      expect(await listed()).toEqual([])
    })

    test.each([
      ['was lost', ['catalog_skills', 'change_log']],
      ['has lost its head', ['change_log']],
    ])('a log that %s is complete only with all published skills again', async (_how, lost) => {
      const crawled = await openCrawledCatalog(url())
      const { changes, db, skills } = crawled
      for (const repo of ['one', 'two']) {
        await skills.insertOne({ owner: 'acme', repo })
      }
      await ingested(crawled)
      for (const collection of lost) {
        await db.collection(collection).drop()
      }

      await skills.insertOne({ owner: 'acme', repo: 'three' })

      expect(await ingested(crawled)).toContain('acme/three')
      expect(await changes.after(0, 10)).toMatchObject({ changes: [{}, {}, {}], complete: true })
    })

    test('rows that are too large for one write are written in several', async () => {
      const { catalog, db, ingest } = await openCrawledCatalog(url())
      const content = '語'.repeat(150_000)
      await db
        .collection('prompts')
        .insertMany(Array.from({ length: 45 }, (_, n) => ({ title: `Prompt ${n}`, content })))

      await ingest()

      expect(await catalog.exportRows('prompts', 100)).toMatchObject({ total: 45 })
    })
  })
})
