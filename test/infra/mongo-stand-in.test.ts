import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Collection, type Db, type Document, MongoClient } from 'mongodb'
import { type RunningServer, servers, startMongoStandIn, startMs, stop } from '../support/run-servers.js'

const keptWrites = 100
const { found, remedy } = servers.mongodb
const onStandIn = (define: () => void) =>
  found() ? describe('the MongoDB stand-in', define) : test.skip(`the MongoDB stand-in is missing: ${remedy}`, () => {})

onStandIn(() => {
  let server: RunningServer
  const clients: MongoClient[] = []
  let db: Db

  beforeAll(async () => {
    server = await startMongoStandIn(keptWrites)
    const client = await MongoClient.connect(server.url)
    clients.push(client)
    db = client.db('test')
  }, startMs * 2)

  afterAll(async () => {
    for (const client of clients) {
      await client.close()
    }
    await stop(server)
  })

  const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, place) => ({ n: from + place }))

  /** A position after everything that was written so far. */
  async function presentToken(collection: Collection): Promise<unknown> {
    const stream = collection.watch()
    await stream.tryNext()
    const token = stream.resumeToken
    await stream.close()
    return token
  }

  test('the oplog keeps its latest writes, and a token from before them is lost as on a MongoDB', async () => {
    const writes = db.collection('writes')
    const lost = await presentToken(writes)
    await writes.insertMany(numbered(0, 2 * keptWrites))
    const kept = await presentToken(writes)
    await writes.insertMany(numbered(2 * keptWrites, 2 * keptWrites + 10))

    await expect(writes.watch([], { resumeAfter: lost }).next()).rejects.toMatchObject({
      code: 286,
      codeName: 'ChangeStreamHistoryLost',
    })
    const stream = writes.watch<Document, { fullDocument: Document }>([], { resumeAfter: kept })
    const seen: unknown[] = []
    while (seen.length < 10) {
      seen.push((await stream.next()).fullDocument['n'])
    }
    await stream.close()
    expect(seen).toEqual(numbered(2 * keptWrites, 2 * keptWrites + 10).map(({ n }) => n))
  })

  test('a change stream without events waits for its maximum time, and nothing else waits with it', async () => {
    const client = new MongoClient(server.url, { monitorCommands: true })
    clients.push(client)
    const commands: string[] = []
    client.on('commandStarted', ({ commandName }) => commands.push(commandName))
    const quiet = client.db('test').collection('quiet')
    const streams = Array.from({ length: 10 }, () => quiet.watch([], { maxAwaitTimeMS: 60_000 }))
    const news = Promise.all(streams.map((stream) => stream.next()))
    while (commands.filter((name) => name === 'getMore').length < streams.length) {
      await setTimeout(10)
    }

    for (const document of numbered(0, 20)) {
      await db.collection('others').insertOne(document)
    }
    expect(commands.filter((name) => name === 'getMore')).toHaveLength(streams.length)
    await quiet.insertOne({ n: 1 })
    expect(await news).toHaveLength(streams.length)
    for (const stream of streams) {
      await stream.close()
    }
  })

  test('a change stream ends at once when it is closed, also while others write', async () => {
    const quiet = db.collection('quiet')
    const others = db.collection('others')
    for (let round = 0; round < 300; round += 1) {
      // One for the whole database sees the writes to all collections, and leaves them out itself.
      const stream = db.watch([{ $match: { 'ns.coll': quiet.collectionName } }], { maxAwaitTimeMS: 600_000 })
      const ended = stream.next().catch((error: unknown) => error)
      await setTimeout(5)
      const written = Promise.all(numbered(0, 4).map((document) => others.insertOne(document)))
      await (round % 2 === 0 ? null : setTimeout(round % 3))
      await stream.close()
      await Promise.all([ended, written])
    }
  })

  test('a change stream reports each write as a MongoDB does', async () => {
    const events = db.collection('events')
    const token = await presentToken(events)
    await events.insertOne({ _id: 'a', sub: { x: 1, y: 1 } } as Document)
    await events.insertOne({ _id: 'a' } as Document).catch(() => undefined)
    await events.updateOne({ _id: 'a' } as Document, { $set: { 'sub.x': 2 }, $unset: { 'sub.y': '' } })
    await events.findOneAndUpdate({ _id: 'a' } as Document, { $set: { z: [1] } })
    await events.replaceOne({ _id: 'a' } as Document, { stars: 1 })
    await events.updateOne({ _id: 'a' } as Document, { $set: { stars: 1 } })
    await events.deleteOne({ _id: 'a' } as Document)

    const stream = events.watch<Document, Document>([], { resumeAfter: token })
    const seen: Document[] = []
    while (seen.length < 5) {
      const { operationType, documentKey, fullDocument, updateDescription } = await stream.next()
      seen.push({ operationType, documentKey, fullDocument, updateDescription })
    }
    await stream.close()
    const documentKey = { _id: 'a' }
    const changed = (updatedFields: Document, removedFields: string[] = []) => ({
      operationType: 'update',
      documentKey,
      updateDescription: { updatedFields, removedFields, truncatedArrays: [] },
    })
    expect(seen).toEqual([
      { operationType: 'insert', documentKey, fullDocument: { _id: 'a', sub: { x: 1, y: 1 } } },
      changed({ 'sub.x': 2 }, ['sub.y']),
      changed({ z: [1] }),
      { operationType: 'replace', documentKey, fullDocument: { _id: 'a', stars: 1 } },
      { operationType: 'delete', documentKey },
    ])
  })

  test('a document of too many levels is refused, and a list where a unique index expects a value is not', async () => {
    const collection = db.collection('levels')
    const levels = (count: number) =>
      Array.from({ length: count }).reduce<Document>((inner) => ({ a: inner }), { b: 1 })

    const { insertedId } = await collection.insertOne(levels(170))
    const deeper = collection.updateOne({ _id: insertedId }, { $set: { deeper: levels(190) } })
    await expect(deeper).rejects.toMatchObject({ code: 15 })

    await collection.createIndex({ 'of.id': 1 }, { unique: true, sparse: true })
    await collection.insertOne({ of: [] })
    expect(await collection.updateOne({ of: [] }, { $set: { of: { id: 'one' } } })).toMatchObject({ modifiedCount: 1 })
  })

  test('a unique index may be partial, and a name that no index has is refused as a hint', async () => {
    const partial = db.collection<Document & { _id: string }>('partial')
    await partial.createIndex({ name: 1 }, { unique: true, partialFilterExpression: { isCurrent: true } })
    await partial.insertMany([
      { _id: 'a', name: 'x', isCurrent: true },
      { _id: 'b', name: 'x' },
      { _id: 'c', name: 'x' },
    ])

    const promote = () => partial.updateOne({ _id: 'b' }, { $set: { isCurrent: true } })
    await expect(promote()).rejects.toMatchObject({ code: 11_000 })
    await partial.updateOne({ _id: 'a' }, { $unset: { isCurrent: '' } })
    expect(await promote()).toMatchObject({ modifiedCount: 1 })
    await expect(partial.find({}, { hint: 'none' }).toArray()).rejects.toMatchObject({ code: 2 })
  })

  test('a partial index answers the queries alone that ask for nothing outside of its filter', async () => {
    const collection = db.collection<Document & { _id: string }>('partly')
    await collection.createIndex({ state: 1, n: 1 }, { partialFilterExpression: { archived: true, n: { $gt: 0 } } })
    await collection.insertMany(
      [true, false].flatMap((archived) =>
        [2, 1].map((n) => ({ _id: `${archived} ${n}`, state: 'shown', archived, n })),
      ),
    )
    // Not sorted, documents come in the order of the index that finds them, or else as they were inserted.
    const found = async (filter: Document) => (await collection.find(filter).toArray()).map(({ n }) => n)

    expect(await found({ state: 'shown', archived: true, n: { $gt: 0 } })).toEqual([1, 2])
    expect(await found({ state: 'shown', archived: false, n: { $gt: 0 } })).toEqual([2, 1])
    expect(await found({ state: 'shown', archived: true })).toEqual([2, 1])
    expect(await found({ state: 'shown', n: { $gt: 0 } })).toEqual([2, 1, 2, 1])
  })

  /** A query with an index must find the same documents in the same order as a scan. */
  test('a query returns the same with indexes as without', async () => {
    const [indexed, plain] = [db.collection('indexed'), db.collection('plain')]
    await indexed.createIndexes([
      { name: 'order', key: { state: 1, n: -1, id: 1 } },
      { name: 'tags', key: { state: 1, tags: 1 } },
      { name: 'id', key: { id: 1 }, unique: true },
    ])
    const documents = Array.from({ length: 80 }, (_, id) => ({
      id,
      ...(id % 7 === 0 ? {} : { n: id % 5 === 0 ? null : id % 9 }),
      state: id % 3 === 0 ? 'hidden' : 'shown',
      tags: id % 4 === 0 ? [] : ['a', 'b', 'c'].slice(0, id % 4),
    }))
    for (const collection of [indexed, plain]) {
      await collection.insertMany(documents.map((each) => ({ _id: each.id, ...each }) as Document))
      // Moved in the indexes, and gone from them.
      await collection.updateMany({ id: { $in: [10, 11, 12] } }, { $set: { n: 99, tags: ['z'] } })
      await collection.deleteMany({ id: { $gte: 70 } })
    }
    const n = fc.integer({ min: -1, max: 10 })
    const number = fc.oneof(
      n,
      fc.constant(null),
      n.map((each) => ({ $gte: each })),
      n.map((each) => ({ $lt: each })),
      fc.tuple(n, n).map(([$gt, $lte]) => ({ $gt, $lte })),
      fc.array(n).map(($in) => ({ $in })),
    )
    const condition: fc.Arbitrary<Document> = fc.record(
      {
        state: fc.constantFrom<unknown[]>('shown', 'hidden', { $in: ['shown', 'none'] }, { $ne: 'shown' }),
        n: number,
        id: fc.nat(80).map(($gt) => ({ $gt })),
        tags: fc.constantFrom<unknown[]>('a', { $all: ['b', 'a'] }, { $in: ['z', 'c'] }, { $gt: 'a' }),
      },
      { requiredKeys: [] },
    )
    const filter = fc.oneof(
      condition,
      fc.tuple(condition, condition).map(($and) => ({ $and })),
      fc.tuple(condition, condition).map(($or) => ({ $or })),
    )
    const sort = fc.constantFrom<Document[]>({ n: -1, id: 1 }, { n: 1, id: -1 }, { state: 1, n: -1, id: 1 }, { id: 1 })
    await fc.assert(
      fc.asyncProperty(filter, sort, fc.nat(20), fc.nat(3), async (asked, order, limit, skip) => {
        const options = { sort: order, limit, skip }
        expect(await indexed.find(asked, options).toArray()).toEqual(await plain.find(asked, options).toArray())
      }),
      { numRuns: 100 },
    )
  })
})
