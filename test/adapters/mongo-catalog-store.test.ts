import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Document, Long, MongoClient, ObjectId } from 'mongodb'
import type { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { aSkill } from '../support/factories.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  describe('documents that others write', () => {
    let catalog: MongoCatalogStore
    let crawler: MongoClient
    let address: string
    beforeEach(async () => {
      address = freshDatabase(url())
      catalog = await openMongoCatalog(address)
      crawler = await MongoClient.connect(address)
    })
    afterEach(async () => {
      await catalog.close()
      await crawler.close()
    })

    const skills = () => crawler.db().collection('skills')
    const listed = async (filters = {}) =>
      (await catalog.listSkills({ filters, sort: 'name', order: 'asc', limit: 100 })).skills
    /** What is told from here on, as a sync would hear it. */
    async function follow() {
      let watermark: string | null = null
      const next = async () => {
        const stretch = await catalog.changesAfter(watermark, 100)
        watermark = stretch.watermark
        return stretch.changes
      }
      await next()
      return next
    }

    test('a document as a crawler writes it is taken in, whatever its _id, its names and its types', async () => {
      await skills().insertOne({
        _id: new ObjectId(),
        full_name: 'Acme/Tool',
        name: 'Tool',
        owner: { login: 'Acme', id: 7 },
        tags: 'PDF, csv',
        license: { key: 'mit', spdx_id: 'MIT' },
        stargazers_count: Long.fromNumber(12),
        forks_count: '3',
        homepage: 'not an address',
        html_url: 'https://code.example/Acme/Tool',
        pushed_at: new Date('2026-01-02T03:04:05Z'),
        created_at: '2025-01-02T03:04:05+01:00',
        crawlState: { tries: 3 },
      })

      const { changes } = await catalog.changesAfter(null, 10)

      expect(changes.map(({ id }) => id)).toEqual(['acme/tool'])
      expect(await listed({ owner: 'ACME', topics: ['pdf'], license: 'mit', minStars: 12 })).toEqual([
        {
          id: 'acme/tool',
          owner: 'Acme',
          repo: 'Tool',
          name: 'Tool',
          description: null,
          topics: ['pdf', 'csv'],
          license: 'MIT',
          language: null,
          homepage: null,
          url: 'https://code.example/Acme/Tool',
          stars: 12,
          forks: 3,
          version: null,
          archived: false,
          createdAt: '2025-01-02T02:04:05.000Z',
          updatedAt: '2026-01-02T03:04:05.000Z',
          publishedAt: null,
          indexedAt: expect.any(String),
        },
      ])
    })

    test('one that is no proper skill is told as it is, and neither listed nor found', async () => {
      await skills().insertMany([
        { owner: 'acme', repo: 'bad', state: 'draft' },
        { _id: new ObjectId('65a000000000000000000000'), whatever: true },
        { owner: 'acme', repo: 'good' },
      ])

      const { changes } = await catalog.changesAfter(null, 10)

      expect(changes.map(({ id }) => id).sort()).toEqual(['65a000000000000000000000', 'acme/bad', 'acme/good'])
      expect(changes.find(({ id }) => id === 'acme/bad')?.stored).toMatchObject({ state: 'draft' })
      expect((await listed()).map(({ id }) => id)).toEqual(['acme/good'])
      expect(await catalog.findSkill('acme/bad')).toEqual({ state: 'unknown' })
      expect((await catalog.scanSkills(null, 10)).map(({ id }) => id)).toContain('acme/bad')
    })

    test('a field that cannot be understood is not known, and hides no skill', async () => {
      await skills().insertOne({
        owner: 'acme',
        repo: 'odd',
        name: 'Odd\u0000  one\n',
        description: ['not', 'text'],
        topics: [{ name: 'PDF' }, 7, null, ' ocr '],
        license: { key: 'none' },
        stars: 'many',
        forks: -1,
        archived: 'perhaps',
        pushed_at: 'some day',
        homepage: 'javascript:alert(1)',
        formerIds: 'acme/older',
      })
      await skills().insertOne({ owner: 'acme', repo: 'long', description: 'a '.repeat(20_000), stars: ' 12 ' })
      await catalog.changesAfter(null, 10)

      expect(await listed()).toMatchObject([
        { id: 'acme/long', description: expect.stringMatching(/a…$/), stars: 12 },
        {
          id: 'acme/odd',
          name: 'Odd one',
          description: null,
          topics: ['pdf', '7', 'ocr'],
          license: null,
          stars: null,
          forks: null,
          archived: false,
          updatedAt: null,
          homepage: null,
        },
      ])
    })

    const ways: [string, (change: Document) => Promise<unknown>][] = [
      [
        'in place, with the time of writing as a date',
        (change) => skills().updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: new Date() } }),
      ],
      [
        'in place, with the time of writing as text',
        (change) => skills().updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: new Date().toISOString() } }),
      ],
      [
        'in place, with the time of writing in seconds',
        (change) =>
          skills().updateOne({ repo: 'tool' }, { $set: { ...change, updatedAt: Math.floor(Date.now() / 1_000) } }),
      ],
      [
        'as a whole, without any time',
        (change) => skills().replaceOne({ repo: 'tool' }, { owner: 'acme', repo: 'tool', ...change }),
      ],
    ]
    test.each(ways)('a change %s is told', async (_way, write) => {
      await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()

      await write({ stars: 2 })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { stars: 2 } }])
      await write({ stars: 2, hidden: true })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { state: 'hidden' } }])
      expect(await listed()).toEqual([])
      await write({ stars: 2, hidden: false, deleted: true })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { state: 'removed' } }])
      expect(await catalog.findSkill('acme/tool')).toEqual({ state: 'removed', removedAt: expect.any(String) })
      expect(await next()).toEqual([])
    })

    test('a change without a sign of it is told once a scan has met it', async () => {
      await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()
      await skills().updateOne({ repo: 'tool' }, { $set: { stars: 2 } })
      expect(await next()).toEqual([])

      await catalog.scanSkills(null, 10)

      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { stars: 2 } }])
      expect((await listed({ minStars: 2 })).length).toBe(1)
    })

    test('a skill that was renamed in place leaves its old id, which leads to the new one', async () => {
      await skills().insertOne({ owner: 'acme', repo: 'old' })
      const next = await follow()

      await skills().updateOne({ repo: 'old' }, { $set: { repo: 'New', updatedAt: new Date() } })

      expect(await next()).toMatchObject([
        { id: 'acme/new', stored: { repo: 'New' } },
        { id: 'acme/old', stored: null },
      ])
      expect(await catalog.findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
    })

    test('of two documents of one skill the other takes its place, once a pass finds the first gone', async () => {
      const [first, second] = [new ObjectId(), new ObjectId()]
      await skills().insertOne({ _id: first, owner: 'acme', repo: 'tool', stars: 1 })
      await skills().insertOne({ _id: second, owner: 'acme', repo: 'tool', stars: 2 })
      const next = await follow()
      await catalog.scanSkills(null, 10)
      expect(await listed()).toMatchObject([{ stars: 1 }])

      await skills().deleteOne({ _id: first })
      await catalog.scanSkills(null, 10)

      expect(await next()).toMatchObject([{ id: 'acme/tool' }])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 2 }])
    })

    test('a pass takes in everything anew when its fields are read by other names', async () => {
      await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1, rank: 70 })
      await catalog.changesAfter(null, 10)
      const { fields, changedField } = defaultDocumentSettings
      const skillNames = { ...fields.skills, stars: ['rank'] }
      const other = await openMongoCatalog(address, { fields: { ...fields, skills: skillNames }, changedField })

      await other.scanSkills(null, 10)

      expect(await listed({ minStars: 70 })).toMatchObject([{ id: 'acme/tool' }])
      await other.close()
    })

    test('of two documents of one skill the first keeps it, and the other is told as rejected', async () => {
      await skills().insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()
      const second = new ObjectId()

      await skills().insertOne({ _id: second, owner: 'ACME', repo: 'Tool', stars: 2 })

      expect(await next()).toMatchObject([{ id: `acme/tool#${second}`, stored: { id: 'acme/tool' } }])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 1 }])
      expect(await next()).toEqual([])
    })

    test('a record that is put replaces the document of that skill, under the _id that it has', async () => {
      const _id = new ObjectId()
      await skills().insertOne({ _id, owner: 'Acme', repo: 'Tool', stargazers_count: 7, hidden: true })

      expect(await catalog.put('skills', [aSkill({ owner: 'Acme', repo: 'Tool', stars: 8 })])).toEqual({
        added: 0,
        changed: 1,
        unchanged: 0,
      })

      expect(await skills().find().toArray()).toMatchObject([{ _id, stars: 8 }])
      expect(await listed()).toMatchObject([{ stars: 8 }])
    })

    test('a document that was deleted outright is neither listed nor scanned', async () => {
      await skills().insertMany([
        { owner: 'acme', repo: 'one' },
        { owner: 'acme', repo: 'two' },
      ])
      await catalog.changesAfter(null, 10)

      await skills().deleteOne({ repo: 'one' })

      expect((await listed()).map(({ id }) => id)).toEqual(['acme/two'])
      expect((await catalog.scanSkills(null, 10)).map(({ id }) => id)).toEqual(['acme/two'])
    })

    test('a change that turns up behind the watermark, noted a little earlier, is not lost', async () => {
      await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'late' }), aSkill({ owner: 'acme', repo: 'timely' })])
      const next = await follow()
      const own = (await skills().findOne({ repo: 'late' }))?.['_catalog']

      // A write that was noted a second before the newest change that was told, and becomes visible only now.
      await skills().updateOne(
        { repo: 'late' },
        { $set: { '_catalog.changedAt': new Date(own.changedAt.getTime() - 1_000), '_catalog.hash': 'another' } },
      )

      expect((await next()).map(({ id }) => id)).toEqual(['acme/late'])
    })

    test('a record whose writer ended before its time was noted is told all the same', async () => {
      await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'cut-off' })])
      const next = await follow()

      await skills().updateOne({ repo: 'cut-off' }, { $unset: { '_catalog.changedAt': '' } })

      expect((await next()).map(({ id }) => id)).toEqual(['acme/cut-off'])
    })

    test('a burst of changes is told stretch by stretch, and what is repeated behind it ends', async () => {
      for (let batch = 0; batch < 3; batch += 1) {
        await catalog.put(
          'skills',
          Array.from({ length: 1_000 }, () => aSkill()),
        )
      }

      const seen = new Set<string>()
      let watermark: string | null = null
      let stretches = 0
      for (let more = true; more; stretches += 1) {
        const stretch = await catalog.changesAfter(watermark, 1_000)
        for (const { id } of stretch.changes) {
          seen.add(id)
        }
        watermark = stretch.watermark
        more = stretch.more
      }

      expect(stretches).toBe(3)
      expect(seen.size).toBe(3_000)
      expect(watermark?.length).toBeLessThan(300_000)
    })

    test('prompts and organizations of others are exported', async () => {
      await crawler
        .db()
        .collection('prompts')
        .insertMany([
          { act: 'Poet', prompt: 'Write a poem.', contributor: 'someone@private.example' },
          { act: 'Nothing to say' },
        ])
      await crawler.db().collection('organizations').insertOne({ login: 'Acme', displayName: 'Acme Inc.' })
      await skills().insertOne({ owner: 'ACME', repo: 'tool' })
      await catalog.changesAfter(null, 10)

      expect(await catalog.exportRows('prompts', 10)).toMatchObject({
        total: 1,
        rows: [{ title: 'Poet', content: 'Write a poem.', type: 'text', author: null }],
      })
      expect(await catalog.exportRows('organizations', 10)).toMatchObject({
        total: 1,
        rows: [{ login: 'acme', skills: 1 }],
      })
    })
  })

  test('indexes that cannot be made stop the start, and the message names them', async () => {
    const address = freshDatabase(url())
    const client = await MongoClient.connect(address)
    await client
      .db()
      .collection('skills')
      .insertMany([{ _catalog: { id: 'acme/one' } }, { _catalog: { id: 'acme/one' } }])
    await client.close()

    await expect(openMongoCatalog(address)).rejects.toMatchObject({
      code: 'catalog_indexes_missing',
      message: expect.stringContaining('catalog_id'),
    })
  })

  test('an address that is none is refused by name, without the password', async () => {
    await expect(openMongoCatalog('mongo://user:secret@host')).rejects.toMatchObject({
      code: 'bad_configuration',
      message: expect.not.stringContaining('secret'),
    })
  })

  test('a server that does not answer is told as unavailable', async () => {
    await expect(openMongoCatalog('mongodb://127.0.0.1:1/catalog')).rejects.toMatchObject({
      code: 'catalog_unavailable',
      status: 503,
    })
  })
})
