import { describe, expect, test } from '@jest/globals'
import type { Collection } from 'mongodb'
import { BatchWriter } from '../../services/indexer/import/batch-writer.js'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { afterTest } from '../support/after-test.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

whenServer('mongodb', (url) => {
  /**
   * A catalog of one skill, and an import by a second client. Another program writes just before each of the first
   * `times` bulk writes of the import.
   */
  async function openOvertaken(write: (skills: Collection) => Promise<unknown>, times = 1) {
    const crawled = await openCrawledCatalog(url())
    await crawled.catalog.put('skills', [aSkill({ repo: 'tool', stars: 1 })])
    const connection = await connectMongo(crawled.address)
    let left = times
    const db = withOverrides(connection.db, {
      collection: (name: string) => {
        const collection = connection.db.collection(name)
        return withOverrides(collection, {
          bulkWrite: async (...args) => {
            left -= 1
            if (left >= 0) {
              await write(crawled.skills)
            }
            return collection.bulkWrite(...args)
          },
        })
      },
    } as Partial<typeof connection.db>)
    const importing = catalogIn({ client: connection.client, db }, defaultDocumentSettings)
    afterTest(() => importing.close())
    /** The record after the next ingest. */
    const stored = async (id: string): Promise<unknown> => {
      await crawled.ingest()
      return (await crawled.catalog.findStored('skills', [id]))[0]?.stored
    }
    return { ...crawled, importing, stored }
  }

  const imported = aSkill({ repo: 'tool', stars: 5 })

  describe('a document that another program changes between its reading and its replacement', () => {
    const signs = [
      { hidden: true },
      { isPrivate: true },
      { state: 'hidden' },
      { hidden: 'yes', updatedAt: new Date() },
      { hidden: true, owner: { login: 'acme', '7': 1 } },
    ]
    test.each(signs)('stays hidden by %j where the import does not say otherwise', async (sign) => {
      const { importing, stored, listed } = await openOvertaken((skills) => skills.updateOne({}, { $set: sign }))
      const writer = new BatchWriter('skills', importing)

      await writer.add(imported, 100, false)
      await writer.flush()

      expect(writer.counts).toMatchObject({ added: 0, changed: 1, unchanged: 0, removed: 0 })
      expect(await stored('acme/tool')).toMatchObject({ state: 'hidden', stars: 5 })
      expect(await listed()).toEqual([])
    })

    test.each([0, 1])(
      'is shown again when its writer shows it, hidden %i writes before the replacement',
      async (times) => {
        const hide = (skills: Collection) => skills.updateOne({}, { $set: { hidden: true } })
        const { importing, skills, stored, listed } = await openOvertaken(hide, times)
        if (times === 0) {
          await hide(skills)
        }
        for (const stars of [5, 5, 6]) {
          const writer = new BatchWriter('skills', importing)
          await writer.add({ ...imported, stars }, 100, false)
          await writer.flush()
          expect(await stored('acme/tool')).toMatchObject({ state: 'hidden', stars })
        }

        await skills.updateOne({}, { $set: { hidden: false, updatedAt: new Date() } })

        expect(await stored('acme/tool')).toMatchObject({ state: 'published', stars: 6 })
        expect(await listed()).toHaveLength(1)
      },
    )

    test('is shown where the import says so', async () => {
      const { importing, stored } = await openOvertaken((skills) => skills.updateOne({}, { $set: { hidden: true } }))

      await importing.put('skills', [imported])

      expect(await stored('acme/tool')).toMatchObject({ state: 'published', stars: 5 })
    })

    test.each([{}, { updatedAt: new Date() }])(
      'is another skill when it was renamed meanwhile (with %j), and both are kept',
      async (sign) => {
        const { importing, stored } = await openOvertaken((skills) =>
          skills.updateOne({}, { $set: { repo: 'renamed', name: 'Renamed', ...sign } }),
        )

        expect(await importing.put('skills', [imported])).toEqual({ added: 1, changed: 0, unchanged: 0 })

        expect(await stored('acme/renamed')).toMatchObject({ name: 'Renamed', stars: 1 })
        expect(await stored('acme/tool')).toMatchObject({ stars: 5 })
      },
    )

    test.each<[string, (skills: Collection) => Promise<unknown>]>([
      ['replaced whole', (skills) => skills.replaceOne({}, { owner: 'acme', repo: 'tool', stars: 2 })],
      ['deleted', (skills) => skills.deleteOne({})],
    ])('is written when it was %s meanwhile', async (_how, write) => {
      const { importing, stored, skills } = await openOvertaken(write)

      await importing.put('skills', [imported])

      expect(await stored('acme/tool')).toMatchObject({ stars: 5 })
      expect(await skills.countDocuments()).toBe(1)
    })

    test('is its own skill again when an earlier version has ingested it under another id', async () => {
      const { importing, skills, stored } = await openOvertaken(async () => undefined)
      await skills.updateOne({}, { $set: { '_catalog.id': 'acme/other' } })

      expect(await importing.put('skills', [aSkill({ repo: 'other' })])).toMatchObject({ added: 1 })

      expect(await stored('acme/tool')).toMatchObject({ repo: 'tool', stars: 1 })
      expect(await stored('acme/other')).toMatchObject({ repo: 'other' })
    })

    test('counts each record of the batch once, with any of them rejected', async () => {
      const { importing, catalog } = await openOvertaken((skills) =>
        skills.updateOne({ repo: 'tool' }, { $set: { hidden: true } }),
      )
      await catalog.put('skills', [aSkill({ repo: 'same' }), aSkill({ repo: 'other', stars: 1 })])

      expect(
        await importing.put('skills', [
          imported,
          aSkill({ repo: 'same' }),
          aSkill({ repo: 'other', stars: 2 }),
          aSkill({ repo: 'new' }),
        ]),
      ).toEqual({ added: 1, changed: 2, unchanged: 1 })
    })

    test('ends the import with an error that names it when it keeps changing', async () => {
      const { importing, stored } = await openOvertaken(
        (skills) => skills.updateOne({}, { $set: { hidden: true, updatedAt: new Date(), name: `${Math.random()}` } }),
        100,
      )

      await expect(importing.put('skills', [imported])).rejects.toMatchObject({
        code: 'records_contended',
        message: expect.stringContaining('acme/tool'),
      })

      expect(await stored('acme/tool')).toMatchObject({ state: 'hidden', stars: 1 })
    })
  })

  describe('a document that another program changes while it is removed', () => {
    test('is a tombstone that has kept the other writes', async () => {
      const { importing, skills, stored } = await openOvertaken((collection) =>
        collection.updateOne({}, { $set: { stars: 7, crawlState: { tries: 3 } } }),
      )

      expect(await importing.remove('skills', ['acme/tool'])).toBe(1)

      expect(await stored('acme/tool')).toMatchObject({ state: 'removed', stars: 7 })
      expect(await skills.findOne({})).toMatchObject({ crawlState: { tries: 3 } })
    })

    test('is left alone when it has become another skill', async () => {
      const { importing, stored } = await openOvertaken((collection) =>
        collection.updateOne({}, { $set: { repo: 'renamed' } }),
      )

      expect(await importing.remove('skills', ['acme/tool'])).toBe(0)

      expect(await stored('acme/renamed')).toMatchObject({ state: 'published' })
    })
  })
})
