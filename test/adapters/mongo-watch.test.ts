import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { changesByOthers, watchCollection } from '../../shared/adapters/servers/mongo/ingest/watch.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

const update = (updatedFields: Document, removedFields: string[] = []) => ({
  operationType: 'update',
  updateDescription: { updatedFields, removedFields, truncatedArrays: [] },
})

whenServer('mongodb', (url) => {
  /** Runs a test on a watched collection: `hints` counts the reports, `events` holds the events of the server. */
  async function watched(
    run: (given: {
      client: MongoClient
      hints: () => number
      hintAfter: (write: () => Promise<unknown>) => Promise<void>
      events: Document[]
      end: () => Promise<void>
    }) => Promise<void>,
  ): Promise<void> {
    const client = await MongoClient.connect(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    const events: Document[] = []
    client.on('commandSucceeded', ({ commandName, reply }) => {
      if (commandName === 'getMore') {
        events.push(...(reply as Document)['cursor'].nextBatch)
      }
    })
    const skills = client.db().collection<Document>('skills')
    await skills.insertOne({ name: 'before', stars: 0 })
    let hints = 0
    const end = watchCollection(skills, () => {
      hints += 1
    })
    const hintAfter = async (write: () => Promise<unknown>) => {
      const before = hints
      await write()
      while (hints === before) {
        await sleep(20)
      }
    }
    try {
      // No event reports that a stream is open: the first change shows it.
      while (hints === 0) {
        await skills.updateOne({ name: 'before' }, { $inc: { stars: 1 } })
        await sleep(50)
      }
      // Further changes may still arrive.
      for (let before = -1; before !== hints; ) {
        before = hints
        await sleep(500)
      }
      await run({ client, hints: () => hints, hintAfter, events, end })
    } finally {
      await end()
      await client.close()
    }
  }

  test('reports what other applications add, change, replace and delete, and nothing after its end', async () => {
    await watched(async ({ client, hints, hintAfter, end }) => {
      const skills = client.db().collection<Document>('skills')

      await hintAfter(() => skills.insertOne({ name: 'one', stars: 1 }))
      await hintAfter(() => skills.updateOne({ name: 'one' }, { $set: { stars: 2, 名前: 'x' } }))
      await hintAfter(() => skills.updateOne({ name: 'one' }, { $unset: { stars: '' } }))
      await hintAfter(() => skills.replaceOne({ name: 'one' }, { name: 'one', stars: 3 }))
      await hintAfter(() => skills.deleteOne({ name: 'one' }))

      await end()
      const atEnd = hints()
      await skills.insertOne({ name: 'two', stars: 1 })
      await sleep(300)
      expect(hints()).toBe(atEnd)
    })
  })

  test("the server sends no event of the catalog's own writes, and an event without content of others", async () => {
    await watched(async ({ client, hints, hintAfter, events }) => {
      const skills = client.db().collection<Document>('skills')
      const before = { hints: hints(), events: events.length }

      await skills.insertOne({ owner: 'acme', repo: 'one', _catalog: { id: 'acme/one' } })
      await sleep(500)
      expect({ hints: hints(), events: events.length }).toEqual(before)

      await hintAfter(() => skills.insertOne({ owner: 'acme', repo: 'two', description: 'x'.repeat(1_000) }))
      await sleep(300)
      expect(hints()).toBe(before.hints + 1)
      expect(events.slice(before.events).map((event) => Object.keys(event))).toEqual([['_id']])
    })
  })

  // The filter runs on events as MongoDB documents them: a stream does not show what it left out.
  test.each([
    ['an insert by others', true, { operationType: 'insert', fullDocument: { owner: 'acme' } }],
    ['a replacement by others', true, { operationType: 'replace', fullDocument: { owner: 'acme' } }],
    ['a deletion', true, { operationType: 'delete' }],
    ['an update by others', true, update({ stars: 1, 'crawl.名前': 2, ïïïïïïïïï: 3 })],
    ['an update by others that only unsets', true, update({}, ['stars'])],
    ['an insert by the catalog', false, { operationType: 'insert', fullDocument: { _catalog: { id: 'a/b' } } }],
    ['a replacement by the catalog', false, { operationType: 'replace', fullDocument: { _catalog: { id: 'a/b' } } }],
    ['new metadata', false, update({ '_catalog.id': 'a/b', '_catalog.hash': 'x' })],
    ['a new time of the metadata', false, update({ '_catalog.changedAt': new Date() })],
    ['metadata as a whole', false, update({ _catalog: { id: 'a/b' } })],
  ])('of %s the server sends an event: %s', async (_, isSent, event) => {
    const client = await MongoClient.connect(freshDatabase(url()))
    try {
      const events = client.db().collection<Document>('events')
      await events.insertOne({ ...event, ns: { coll: 'skills' } })

      const sent = await events.aggregate(changesByOthers).toArray()

      expect(sent.map((each) => Object.keys(each))).toEqual(isSent ? [['_id']] : [])
    } finally {
      await client.close()
    }
  })

  test('a server without an answer is asked again later, and nothing is thrown', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 })

    const end = watchCollection(client.db().collection('skills'), () => undefined)
    await sleep(500)

    await end()
    await client.close()
  })
})
