import { describe, expect, test } from '@jest/globals'
import { type Collection, type Document, ObjectId } from 'mongodb'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  describe('documents that others write', () => {
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
        'as a whole, without any time',
        (skills, change) => skills.replaceOne({ repo: 'tool' }, { owner: 'acme', repo: 'tool', ...change }),
      ],
    ]
    test.each(ways)('a change %s is told', async (_way, write) => {
      const { catalog, skills, listed, follow } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()

      await write(skills, { stars: 2 })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { stars: 2 } }])
      await write(skills, { stars: 2, hidden: true })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { state: 'hidden' } }])
      expect(await listed()).toEqual([])
      await write(skills, { stars: 2, hidden: false, deleted: true })
      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { state: 'removed' } }])
      expect(await catalog.findSkill('acme/tool')).toEqual({ state: 'removed', removedAt: expect.any(String) })
      expect(await next()).toEqual([])
    })

    test('a change without a sign of it is told once a scan has met it', async () => {
      const { catalog, skills, listed, follow } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()
      await skills.updateOne({ repo: 'tool' }, { $set: { stars: 2 } })
      expect(await next()).toEqual([])

      await catalog.scanSkills(null, 10)

      expect(await next()).toMatchObject([{ id: 'acme/tool', stored: { stars: 2 } }])
      expect((await listed({ minStars: 2 })).length).toBe(1)
    })

    test('a skill that was renamed in place leaves its old id, which leads to the new one', async () => {
      const { catalog, skills, follow } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'old' })
      const next = await follow()

      await skills.updateOne({ repo: 'old' }, { $set: { repo: 'New', updatedAt: new Date() } })

      expect(await next()).toMatchObject([
        { id: 'acme/new', stored: { repo: 'New' } },
        { id: 'acme/old', stored: null },
      ])
      expect(await catalog.findSkill('acme/old')).toEqual({ state: 'renamed', presentId: 'acme/new' })
    })

    test('of two documents of one skill the other takes its place, once a pass finds the first gone', async () => {
      const { catalog, skills, listed, follow } = await openCrawledCatalog(url())
      const [first, second] = [new ObjectId(), new ObjectId()]
      await skills.insertOne({ _id: first, owner: 'acme', repo: 'tool', stars: 1 })
      await skills.insertOne({ _id: second, owner: 'acme', repo: 'tool', stars: 2 })
      const next = await follow()
      await catalog.scanSkills(null, 10)
      expect(await listed()).toMatchObject([{ stars: 1 }])

      await skills.deleteOne({ _id: first })
      await catalog.scanSkills(null, 10)

      expect(await next()).toMatchObject([{ id: 'acme/tool' }])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 2 }])
    })

    test('of two documents of one skill the first keeps it, and the other is told as rejected', async () => {
      const { skills, listed, follow } = await openCrawledCatalog(url())
      await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
      const next = await follow()
      const second = new ObjectId()

      await skills.insertOne({ _id: second, owner: 'ACME', repo: 'Tool', stars: 2 })

      expect(await next()).toMatchObject([{ id: `acme/tool#${second}`, stored: { id: 'acme/tool' } }])
      expect(await listed()).toMatchObject([{ id: 'acme/tool', stars: 1 }])
      expect(await next()).toEqual([])
    })

    test('a record whose writer ended before its time was noted is told all the same', async () => {
      const { catalog, skills, follow } = await openCrawledCatalog(url())
      await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'cut-off' })])
      const next = await follow()

      await skills.updateOne({ repo: 'cut-off' }, { $unset: { '_catalog.changedAt': '' } })

      expect((await next()).map(({ id }) => id)).toEqual(['acme/cut-off'])
    })

    test('a burst of changes is told stretch by stretch, and what is repeated behind it ends', async () => {
      const { catalog, skills } = await openCrawledCatalog(url())
      for (let batch = 0; batch < 3; batch += 1) {
        await catalog.put(
          'skills',
          Array.from({ length: 1_000 }, () => aSkill()),
        )
      }
      await inWholeMilliseconds(skills)

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
  })
})

/** Writes times anew as MongoDB has them; the stand-in notes them in finer parts, which no client can ask for. */
async function inWholeMilliseconds(skills: Collection): Promise<void> {
  const documents = await skills.find({}, { projection: { '_catalog.changedAt': 1 } }).toArray()
  await skills.bulkWrite(
    documents.map(({ _id, _catalog }) => ({
      updateOne: { filter: { _id }, update: { $set: { '_catalog.changedAt': _catalog.changedAt } } },
    })),
  )
}
