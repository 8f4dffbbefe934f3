import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type Collection, type Document, Double, Long, MongoClient } from 'mongodb'
import { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { serverTime } from '../../shared/adapters/servers/mongo-connection.js'
import { TakeIn } from '../../shared/adapters/servers/mongo-take-in.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { whenServer } from '../support/servers.js'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs
const sweepMs = 5 * 60_000

const isoAt = (offset: string, offsetMs: number) => (ms: number) =>
  new Date(ms + offsetMs).toISOString().replace('Z', offset)

/** How a crawler may write a time, given in milliseconds since 1970. */
const forms: [string, (ms: number) => unknown][] = [
  ['a date', (ms) => new Date(ms)],
  ['ISO-8601 text', (ms) => new Date(ms).toISOString()],
  ['ISO-8601 text in whole seconds', (ms) => new Date(ms).toISOString().replace(/\.\d+/, '')],
  ['ISO-8601 text with a space', (ms) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00:00')],
  ['seconds', (ms) => Math.floor(ms / 1_000)],
  ['seconds with a fraction', (ms) => ms / 1_000],
  ['milliseconds', (ms) => ms],
  ['milliseconds as a long', (ms) => Long.fromNumber(ms)],
  ['milliseconds as a double', (ms) => new Double(ms)],
  ['seconds in text', (ms) => String(Math.floor(ms / 1_000))],
  ['milliseconds in text', (ms) => String(ms)],
  ['ISO-8601 text behind UTC', isoAt('-05:00', -5 * hourMs)],
  ['ISO-8601 text ahead of UTC', isoAt('+0530', 5.5 * hourMs)],
]

/** Forms whose order is not that of time, or says nothing of the present. */
const lateForms: [string, (ms: number) => unknown][] = [
  ['RFC 2822 text', (ms) => new Date(ms).toUTCString()],
  ['a day', (ms) => new Date(ms).toISOString().slice(0, 10)],
  ['a date in the future', (ms) => new Date(ms + yearMs)],
  ['text in the future', (ms) => new Date(ms + yearMs).toISOString()],
  ['milliseconds in the future', (ms) => ms + yearMs],
]

whenServer('mongodb', (url) => {
  const opened: MongoClient[] = []

  afterEach(async () => {
    for (const each of opened.splice(0)) {
      await each.close()
    }
  })

  /** A fresh catalog, read by a client that counts the documents which the server returns. */
  async function openCounted() {
    const crawled = await openCrawledCatalog(url())
    const client = await MongoClient.connect(crawled.address, { monitorCommands: true })
    opened.push(client)
    let returned = 0
    client.on('commandSucceeded', ({ reply }) => {
      const cursor: Document = (reply as Document)['cursor'] ?? {}
      returned += (cursor['firstBatch'] ?? cursor['nextBatch'] ?? []).length
    })
    const returnedBy = async (work: () => Promise<unknown>): Promise<number> => {
      const before = returned
      await work()
      return returned - before
    }
    return { ...crawled, client, returnedBy, now: (await serverTime(crawled.db)).getTime() }
  }

  const write = async (skills: Collection, times: unknown[]) =>
    skills.insertMany(times.map((updatedAt, n) => ({ owner: 'acme', repo: `skill-${n}`, stars: 1, updatedAt })))

  describe('the time that says when a document was written', () => {
    test.each(forms)('as %s costs nothing until it moves, and is found then', async (_form, form) => {
      const { client, skills, returnedBy, now } = await openCounted()
      await write(
        skills,
        Array.from({ length: 60 }, (_, n) => form(now - n * hourMs - 60_000)),
      )
      const takeIn = new TakeIn(client.db().collection('skills'), 'skills', defaultDocumentSettings)
      await takeIn.run(now)

      expect(await returnedBy(() => takeIn.run(now + 2_000))).toBe(0)

      await skills.updateOne({ repo: 'skill-30' }, { $set: { hidden: true, updatedAt: form(now + 3_000) } })
      expect(await returnedBy(() => takeIn.run(now + 4_000))).toBe(1)
      expect(await skills.distinct('repo', { '_catalog.state': 'hidden' })).toEqual(['skill-30'])
      // Once more, in case that it was written twice within a second.
      await takeIn.run(now + 20_000)
      expect(await returnedBy(() => takeIn.run(now + 22_000))).toBe(0)
    })

    test.each(lateForms)(
      'as %s costs nothing until it moves, and is found within five minutes then',
      async (_form, form) => {
        const { client, skills, returnedBy, now } = await openCounted()
        await write(
          skills,
          Array.from({ length: 60 }, (_, n) => form(now - n * hourMs)),
        )
        const takeIn = new TakeIn(client.db().collection('skills'), 'skills', defaultDocumentSettings)
        await takeIn.run(now)

        expect(await returnedBy(() => takeIn.run(now + 2_000))).toBe(0)

        await skills.updateOne({ repo: 'skill-30' }, { $set: { hidden: true, updatedAt: form(now + 3_000) } })
        expect(await returnedBy(() => takeIn.run(now + sweepMs))).toBe(1)
        expect(await skills.distinct('repo', { '_catalog.state': 'hidden' })).toEqual(['skill-30'])
      },
    )

    test('in the future is found at once when it moves to the present', async () => {
      const { client, skills, returnedBy, now } = await openCounted()
      await write(skills, [new Date(now + yearMs)])
      const takeIn = new TakeIn(client.db().collection('skills'), 'skills', defaultDocumentSettings)
      await takeIn.run(now)

      await skills.updateOne({}, { $set: { hidden: true, updatedAt: new Date(now + 1_000) } })

      expect(await returnedBy(() => takeIn.run(now + 2_000))).toBe(1)
      expect(await skills.countDocuments({ '_catalog.state': 'hidden' })).toBe(1)
    })
  })

  test('a sync of a catalog in which nothing changes reads no document, whatever forms of time are mixed in it', async () => {
    const { client, skills, returnedBy, now } = await openCounted()
    await write(
      skills,
      [...forms, ...lateForms].map(([, form]) => form(now - hourMs)),
    )
    const catalog = new MongoCatalogStore({ client, db: client.db() }, defaultDocumentSettings)
    const { watermark } = await catalog.changesAfter(null, 1_000)
    // For so long the sync reads again what changed, in case that a change before it comes to light.
    await sleep(6_000)
    const settled = await catalog.changesAfter(watermark, 1_000)

    expect(await returnedBy(() => catalog.changesAfter(settled.watermark, 1_000))).toBe(0)
  })
})
