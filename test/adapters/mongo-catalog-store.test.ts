import { describe, expect, test } from '@jest/globals'
import { Long, ObjectId } from 'mongodb'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  describe('documents of other applications', () => {
    test('a document as a crawler writes it is ingested with any _id, names and types', async () => {
      const { skills, listed, ingest } = await openCrawledCatalog(url())
      await skills.insertOne({
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

      const { logged } = await ingest()

      expect(logged.map(({ id }) => id)).toEqual(['acme/tool'])
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
          skill: null,
          path: null,
          commit: null,
          digest: null,
        },
      ])
    })

    test('a record is stored as its document is by now, also before that is ingested', async () => {
      const { catalog, skills, listed, ingest } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'Acme', repo: 'Tool', hidden: true })
      await ingest()
      expect(await catalog.findStored('skills', ['acme/tool'])).toMatchObject([
        { id: 'acme/tool', stored: { state: 'hidden' } },
      ])

      await skills.replaceOne({}, { owner: 'Acme', repo: 'Tool', stars: 3 })

      expect(await catalog.findStored('skills', ['acme/tool'])).toMatchObject([
        { id: 'acme/tool', stored: { state: 'published', stars: 3 } },
      ])
      expect(await listed()).toEqual([])
    })

    test('nothing of a document that is hidden or deleted stays in what a query service reads', async () => {
      const { db, skills, ingest } = await openCrawledCatalog(url())
      const secret = 'planted-secret'
      await skills.insertMany(['a', 'b', 'c'].map((repo) => ({ owner: 'acme', repo, description: secret, secret })))
      await ingest()
      await skills.updateOne({ repo: 'a' }, { $set: { hidden: true } })
      await skills.updateOne({ repo: 'b' }, { $set: { deleted: true } })
      await skills.deleteOne({ repo: 'c' })

      await ingest()

      const rows = await db.collection('catalog_skills').find().toArray()
      expect(rows.map(({ state }) => state).sort()).toEqual(['gone', 'hidden', 'removed'])
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect(JSON.stringify(await db.collection('change_log').find().toArray())).not.toContain(secret)
    })

    test('a put record replaces the document of its skill, under the same _id', async () => {
      const { catalog, skills, listed } = await openCrawledCatalog(url())
      const _id = new ObjectId()
      await skills.insertOne({ _id, owner: 'Acme', repo: 'Tool', stargazers_count: 7, hidden: true })

      expect(await catalog.put('skills', [aSkill({ owner: 'Acme', repo: 'Tool', stars: 8 })])).toEqual({
        added: 0,
        changed: 1,
        unchanged: 0,
      })

      expect(await skills.find().toArray()).toMatchObject([{ _id, stars: 8 }])
      expect(await listed()).toMatchObject([{ stars: 8 }])
    })
  })
})
