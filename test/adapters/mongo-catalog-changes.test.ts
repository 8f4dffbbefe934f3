import { describe, expect, test } from '@jest/globals'
import { type Collection, type Document, ObjectId } from 'mongodb'
import { MongoIngest } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import { Stamper } from '../../shared/adapters/servers/mongo/ingest/stamper.js'
import { defaultDocumentSettings, FieldNamesText } from '../../shared/records/document-settings.js'
import { aFence } from '../support/a-fence.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

/** What to do where documents of one id are several skills. */
const remedy =
  'If its repository holds several skills, name the field that distinguishes them: MONGODB_FIELDS=\'{"skills":{"skill":"name"}}\''

/** Ingests all new documents. Returns the ids of logged changes, with a minus for removals. */
const ingested = async ({ ingest }: CrawledCatalog): Promise<string[]> =>
  (await ingest()).logged.map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id)).sort()

whenServer('mongodb', (url) => {
  describe('documents of other applications', () => {
    const ways: [string, (skills: Collection, change: Document) => Promise<unknown>][] = [
      [
        'in place, with the time of writing as a date',
        (skills, change) => skills.updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: new Date() } }),
      ],
      [
        'in place, with the time of writing as text',
        (skills, change) =>
          skills.updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: new Date().toISOString() } }),
      ],
      [
        'in place, with the time of writing in seconds',
        (skills, change) =>
          skills.updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: Math.floor(Date.now() / 1_000) } }),
      ],
      [
        'by replacement, without any time',
        (skills, change) => skills.replaceOne({ repo: 'tool' }, { owner: 'acme', repo: 'tool', ...change }),
      ],
    ]
    test.each(ways)('a change %s is logged', async (_way, write) => {
      const crawled = await openCrawledCatalog(url())
      const { catalog, skills, listed } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      expect(await ingested(crawled)).toEqual(['acme/tool'])

      await write(skills, { stars: 2 })
      expect(await ingested(crawled)).toEqual(['acme/tool'])
      expect(await listed()).toMatchObject([{ stars: 2 }])
      await write(skills, { stars: 2, hidden: true })
      expect(await ingested(crawled)).toEqual(['-acme/tool'])
      expect(await listed()).toEqual([])
      await write(skills, { stars: 2, hidden: false, deleted: true })
      await ingested(crawled)
      expect(await catalog.findSkill('acme/tool')).toEqual({ state: 'removed', removedAt: expect.any(String) })
      expect(await crawled.ingest()).toEqual({ logged: [], rejected: [] })
    })

    test('a change that leaves the changed-field is logged once a comparison has found it', async () => {
      const crawled = await openCrawledCatalog(url())
      const { documents, skills, listed } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      await ingested(crawled)
      await skills.updateOne({ repo: 'tool' }, { $set: { stars: 2 } })
      expect(await ingested(crawled)).toEqual([])

      await documents.scanHashes(null, 10)

      expect(await ingested(crawled)).toEqual(['acme/tool'])
      expect((await listed({ minStars: 2 })).length).toBe(1)
    })

    test('a comparison also takes place while there are new documents', async () => {
      const crawled = await openCrawledCatalog(url())
      const { documents, skills } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool' })
      await ingested(crawled)
      await skills.updateOne({ repo: 'tool' }, { $set: { stars: 2, updatedAt: 'some day' } })
      await skills.insertOne({ owner: 'acme', repo: 'new' })

      expect(await documents.hasNew()).toBe(true)

      expect(await ingested(crawled)).toEqual(['acme/new', 'acme/tool'])
    })

    test('a skill that was renamed in place leaves its old id, which leads to the new one', async () => {
      const crawled = await openCrawledCatalog(url())
      const { catalog, skills } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'old' })
      await ingested(crawled)

      await skills.updateOne({ repo: 'old' }, { $set: { repo: 'New', updatedAt: new Date() } })

      expect(await ingested(crawled)).toEqual(['-acme/old', 'acme/new'])
      expect(await catalog.findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
    })

    test('a rename in place that the changed-field does not show hides no document from a comparison', async () => {
      const crawled = await openCrawledCatalog(url())
      const { catalog, documents, skills } = crawled
      for (const repo of ['a', 'b', 'c', 'd']) {
        await skills.insertOne({ owner: 'acme', repo })
      }
      await ingested(crawled)
      await skills.updateOne({ repo: 'b' }, { $set: { repo: 'z' } })
      const all = async (read: (afterId: string | null, limit: number) => Promise<{ id: string }[]>) => {
        const ids: string[] = []
        for (let page = await read(null, 2); page.length > 0; page = await read(ids.at(-1) ?? null, 2)) {
          ids.push(...page.map(({ id }) => id))
        }
        return ids
      }

      expect(await all((...page) => catalog.scanSkills(...page))).toEqual(['acme/a', 'acme/c', 'acme/d'])
      const compared = await all((...page) => documents.scanHashes(...page))
      expect(compared).toEqual(expect.arrayContaining(['acme/a', 'acme/c', 'acme/d']))

      expect(await ingested(crawled)).toEqual(['-acme/b', 'acme/z'])
    })

    test('the second of two documents of one skill replaces a deleted first, once a comparison has run', async () => {
      const crawled = await openCrawledCatalog(url())
      const { documents, skills, listed } = crawled
      const [first, second] = [new ObjectId(), new ObjectId()]
      await skills.insertOne({ _id: first, owner: 'acme', repo: 'tool', stars: 1 })
      await skills.insertOne({ _id: second, owner: 'acme', repo: 'tool', stars: 2 })
      await ingested(crawled)
      expect(await listed()).toMatchObject([{ stars: 1 }])

      await skills.deleteOne({ _id: first })
      await documents.scanHashes(null, 10)

      expect(await ingested(crawled)).toEqual(['acme/tool'])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 2 }])
    })

    test('the first of two documents of one skill keeps the id, and the second is rejected', async () => {
      const { catalog, skills, listed, ingest } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      await ingest()
      const second = new ObjectId()

      await skills.insertOne({ _id: second, owner: 'ACME', repo: 'Tool', stars: 2 })

      const reason = `id: another document is acme/tool already. ${remedy}`
      const rejected = { id: `acme/tool#${second}`, reason }
      expect(await ingest()).toEqual({ logged: [], rejected: [rejected] })
      expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ ...rejected, source: 'document' }])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 1 }])
      expect(await ingest()).toEqual({ logged: [], rejected: [] })
    })

    test('documents that are several skills of a repository are, by the field that the reason says to name', async () => {
      const { address, skills, listed, ingest } = await openCrawledCatalog(url())
      await skills.insertMany(['Fill Forms', 'Merge'].map((name) => ({ owner: 'acme', repo: 'pdf', name })))
      expect((await ingest()).rejected).toEqual([expect.objectContaining({ reason: expect.stringContaining(remedy) })])
      expect(await listed()).toHaveLength(1)
      const [, setting = ''] = /MONGODB_FIELDS='(.*)'/.exec(remedy) ?? []

      const fields = FieldNamesText.parse(setting)
      const named = await openCrawledCatalog(url(), address, { ...defaultDocumentSettings, fields })
      await named.documents.scanHashes(null, 10)

      expect((await named.listed()).map(({ id }) => id)).toEqual(['acme/pdf@fill-forms', 'acme/pdf@merge'])
    })
  })

  describe('logging of changes', () => {
    test('documents that a process has stamped and not logged are logged by the next one', async () => {
      const crawled = await openCrawledCatalog(url())
      const { skills } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool' })

      await new Stamper(skills, 'skills', defaultDocumentSettings).stampNew(new Date())

      expect(await ingested(crawled)).toEqual(['acme/tool'])
    })

    test('changes that a process has logged and left marked as pending are not logged again', async () => {
      const crawled = await openCrawledCatalog(url())
      const { changes, skills } = crawled
      await skills.insertOne({ owner: 'acme', repo: 'tool' })
      await ingested(crawled)
      const before = await changes.bounds()

      await skills.updateOne({}, { $set: { '_catalog.pending': new Date() } })

      expect(await ingested(crawled)).toEqual([])
      expect(await changes.bounds()).toEqual(before)
      expect(await skills.countDocuments({ '_catalog.pending': { $exists: true } })).toBe(0)
    })

    test('a process that read the log before another one wrote it is rejected, and nothing is lost', async () => {
      const crawled = await openCrawledCatalog(url())
      const { changes, db, skills } = crawled
      const overtaken = withOverrides(changes, {
        writerHead: async () => {
          const head = await changes.writerHead()
          await skills.insertOne({ owner: 'acme', repo: 'other' })
          await crawled.ingest()
          await skills.insertOne({ owner: 'acme', repo: 'late' })
          await new Stamper(skills, 'skills', defaultDocumentSettings).stampNew(new Date())
          return head
        },
      })
      const stale = new MongoIngest(db, defaultDocumentSettings, overtaken)
      await skills.insertOne({ owner: 'acme', repo: 'tool' })

      await expect(stale.ingest(aFence())).rejects.toMatchObject({ status: 409, code: 'lock_lost' })

      expect((await changes.after(0, 10)).changes).toHaveLength(2)
      expect(await ingested(crawled)).toEqual(['acme/late'])
    })

    test.each([
      ['was lost', ['changes', 'change_log']],
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

      expect(await ingested(crawled)).toEqual(['acme/one', 'acme/three', 'acme/two'])
      expect(await changes.after(0, 10)).toMatchObject({ changes: [{}, {}, {}], complete: true })
    })

    test('many changes are logged batch by batch, and the log is complete with the last one', async () => {
      const { catalog, changes, documents } = await openCrawledCatalog(url())
      for (const count of [1_000, 1_000, 200]) {
        await catalog.put(
          'skills',
          Array.from({ length: count }, () => aSkill()),
        )
      }
      const lock = await catalog.lock('ingest')
      const batches: { logged: number; more: boolean; complete: boolean }[] = []
      for (let more = true; more; ) {
        const batch = await documents.ingest(lock ?? aFence())
        more = batch.more
        batches.push({ logged: batch.logged.length, more, complete: (await changes.bounds()).complete })
      }
      await lock?.release()

      expect(batches).toEqual([
        { logged: 1_000, more: true, complete: false },
        { logged: 1_000, more: true, complete: false },
        { logged: 200, more: false, complete: true },
      ])
      expect(await changes.countPublished()).toBe(2_200)
    })
  })
})
