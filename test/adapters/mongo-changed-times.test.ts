import { afterEach, describe, expect, test } from '@jest/globals'
import { type Collection, type Document, Double, Long, MongoClient } from 'mongodb'
import { MongoChangeLog } from '../../shared/adapters/servers/mongo/change-log/change-log.js'
import { serverTime } from '../../shared/adapters/servers/mongo/connection.js'
import { MongoIngest } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import { NewDocuments } from '../../shared/adapters/servers/mongo/ingest/new-documents.js'
import { Stamper } from '../../shared/adapters/servers/mongo/ingest/stamper.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aFence } from '../support/a-fence.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { whenServer } from '../support/servers.js'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

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

/** Forms that no index finds: their order is not by time, or their times are not near the present. */
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

  /** A new catalog, read by a client that counts the documents that the server returns. */
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

  /** Finds changed documents through a counted client, and stamps them. */
  function finder(client: MongoClient) {
    const collection = client.db().collection('skills')
    const documents = new NewDocuments(collection, defaultDocumentSettings.changedField)
    const stamper = new Stamper(collection, 'skills', defaultDocumentSettings)
    const look = async (nowMs: number) => {
      for (const filter of documents.filters(nowMs)) {
        await stamper.stampFound(filter, new Date(nowMs))
      }
      documents.looked(nowMs)
      // As if they had been logged.
      await collection.updateMany({}, { $unset: { '_catalog.pending': '' } })
    }
    return { documents, look }
  }

  const isHidden = (skills: Collection) => skills.distinct('repo', { '_catalog.state': 'hidden' })

  test('a document that cannot be stamped is not looked for in the next minute, unless it is written', async () => {
    const { client, skills, now } = await openCounted()
    const { insertedId } = await skills.insertOne({ owner: 'acme', repo: 'large' })
    const { documents } = finder(client)
    documents.looked(now)
    const searchedAt = (nowMs: number) => {
      documents.filters(nowMs)
      documents.refused(insertedId)
      documents.looked(nowMs)
    }

    searchedAt(now)
    expect(await documents.exist(now + 59_000)).toBe(false)
    const other = await skills.insertOne({ owner: 'acme', repo: 'other' })
    expect(await documents.exist(now + 59_000)).toBe(true)
    await skills.deleteOne({ _id: other.insertedId })
    expect(await documents.exist(now + 61_000)).toBe(true)

    searchedAt(now + 62_000)
    expect(await documents.exist(now + 63_000)).toBe(false)
    await skills.updateOne({}, { $set: { updatedAt: new Date(now + 64_000) } })
    expect(await documents.exist(now + 65_000)).toBe(true)
  })

  describe('the changed-field of a document', () => {
    test.each(forms)('as %s costs nothing until it moves, and is found by index then', async (_form, form) => {
      const { client, skills, returnedBy, now } = await openCounted()
      await write(
        skills,
        Array.from({ length: 60 }, (_, n) => form(now - n * hourMs - 60_000)),
      )
      const { documents, look } = finder(client)
      documents.looked(now)
      await look(now)
      // The comparison learns the offsets from UTC from the documents.
      await documents.compareStep()

      expect(await returnedBy(() => look(now + 2_000))).toBe(0)
      expect(await documents.exist(now + 2_000)).toBe(false)

      await skills.updateOne({ repo: 'skill-30' }, { $set: { hidden: true, updatedAt: form(now + 3_000) } })
      expect(await documents.exist(now + 4_000)).toBe(true)
      expect(await returnedBy(() => look(now + 4_000))).toBe(1)
      expect(await isHidden(skills)).toEqual(['skill-30'])
      // Once more, in case it was written twice within a second.
      await look(now + 20_000)
      expect(await documents.exist(now + 22_000)).toBe(false)
      expect(await returnedBy(() => look(now + 22_000))).toBe(0)
    })

    test.each(lateForms)('as %s costs nothing until it moves, and is found by comparison then', async (_form, form) => {
      const { client, skills, returnedBy, now } = await openCounted()
      await write(
        skills,
        Array.from({ length: 60 }, (_, n) => form(now - n * hourMs)),
      )
      const { documents, look } = finder(client)
      documents.looked(now)
      await look(now)

      expect(await returnedBy(() => look(now + 2_000))).toBe(0)

      await skills.updateOne({ repo: 'skill-30' }, { $set: { hidden: true, updatedAt: form(now + 3_000) } })
      expect(documents.hasChanged).toBe(false)
      await documents.compareStep()
      expect(documents.hasChanged).toBe(true)
      expect(await returnedBy(() => look(now + 4_000))).toBe(1)
      expect(await isHidden(skills)).toEqual(['skill-30'])
    })

    test('in the future is found by index when it moves to the present', async () => {
      const { client, skills, returnedBy, now } = await openCounted()
      await write(skills, [new Date(now + yearMs)])
      const { documents, look } = finder(client)
      documents.looked(now)
      await look(now)

      await skills.updateOne({}, { $set: { hidden: true, updatedAt: new Date(now + 1_000) } })

      expect(await returnedBy(() => look(now + 2_000))).toBe(1)
      expect(await isHidden(skills)).toHaveLength(1)
    })

    test('is compared step by step, from the first document to the last', async () => {
      const { client, skills, now } = await openCounted()
      await skills.insertMany(Array.from({ length: 4_100 }, (_, n) => ({ owner: 'acme', repo: `s${10_000 + n}` })))
      const { documents, look } = finder(client)
      await look(now)
      await skills.updateOne({ repo: 's14099' }, { $set: { hidden: true, updatedAt: 'some day' } })

      await documents.compareStep()
      await documents.compareStep()
      expect(documents.hasChanged).toBe(false)
      await documents.compareStep()
      expect(documents.hasChanged).toBe(true)

      await look(now + 1_000)
      expect(await isHidden(skills)).toEqual(['s14099'])
    })
  })

  test('writes while no process ran, or before the last search was stored, are found at the next start', async () => {
    const { db, documents, ingest, skills, now } = await openCounted()
    await write(skills, [new Date(now - hourMs), new Date(now - hourMs)])
    await ingest()
    await documents.hasNew()

    // As if the process had ended two hours ago.
    await db
      .collection<{ _id: string }>('state')
      .updateOne({ _id: stateKeys.ingestLookedAt }, { $set: { json: JSON.stringify(now - 2 * hourMs) } })
    await skills.updateOne({ repo: 'skill-0' }, { $set: { hidden: true, updatedAt: new Date(now - hourMs / 2) } })
    const next = new MongoIngest(db, defaultDocumentSettings, new MongoChangeLog(db))
    expect(await next.hasNew()).toBe(true)
    expect((await next.ingest(aFence({ epoch: Number.MAX_SAFE_INTEGER }))).logged).toEqual([
      { id: 'acme/skill-0', contentHash: null },
    ])

    await db.collection<{ _id: string }>('state').deleteOne({ _id: stateKeys.ingestLookedAt })
    await skills.updateOne({ repo: 'skill-1' }, { $set: { hidden: true, updatedAt: 'long ago' } })
    const first = new MongoIngest(db, defaultDocumentSettings, new MongoChangeLog(db))
    expect(await first.hasNew()).toBe(true)
    expect((await first.ingest(aFence({ epoch: Number.MAX_SAFE_INTEGER }))).logged).toEqual([
      { id: 'acme/skill-1', contentHash: null },
    ])
  })

  test('a search after a quiet time reads none of the documents that were written before', async () => {
    const { client, skills, returnedBy, now } = await openCounted()
    await skills.insertMany(
      Array.from({ length: 5 }, (_, n) => ({ owner: 'acme', repo: `s${n}`, updatedAt: new Date(now) })),
    )
    const { documents, look } = finder(client)
    await look(now + 6_000)

    expect(await documents.exist(now + hourMs)).toBe(false)

    expect(documents.lookedAtMs).toBe(now + hourMs)
    expect(await returnedBy(() => documents.exist(now + 2 * hourMs))).toBe(0)
  })

  test('where nothing changes no document is read, for any mix of time formats', async () => {
    const { client, skills, returnedBy, now } = await openCounted()
    await write(
      skills,
      [...forms, ...lateForms].map(([, form]) => form(now - hourMs)),
    )
    const documents = new MongoIngest(client.db(), defaultDocumentSettings, new MongoChangeLog(client.db()))
    await documents.ingest(aFence())
    // The first call reads the last search of an earlier process, and begins a comparison.
    expect(await documents.hasNew()).toBe(false)

    expect(
      await returnedBy(async () => {
        expect(await documents.hasNew()).toBe(false)
      }),
    ).toBe(0)
  })
})
