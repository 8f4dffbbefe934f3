import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Db, type Document, MongoClient } from 'mongodb'
import { type RunningServer, servers, startMongoStandIn, startMs, stop } from '../support/run-servers.js'

const { found, remedy } = servers.mongodb
const onStandIn = (define: () => void) =>
  found() ? describe('the MongoDB stand-in', define) : test.skip(`the MongoDB stand-in is missing: ${remedy}`, () => {})

onStandIn(() => {
  let server: RunningServer
  let client: MongoClient
  let db: Db

  beforeAll(async () => {
    server = await startMongoStandIn()
    client = await MongoClient.connect(server.url)
    db = client.db('test')
  }, startMs * 2)

  afterAll(async () => {
    await client.close()
    await stop(server)
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

  test('a part of the ids is read before all documents of a value', async () => {
    const collection = db.collection<Document & { _id: string }>('parts')
    await collection.createIndexes([{ key: { state: 1, _id: 1 } }, { key: { state: 1, n: 1, rank: 1 } }])
    await collection.insertMany(['c', 'a', 'b'].map((_id, rank) => ({ _id, state: 'shown', n: 1, rank })))
    // Not sorted, documents come in the order of the index that finds them.
    const found = async (_id: Document) =>
      (await collection.find({ state: 'shown', n: 1, _id } as Document).toArray()).map((each) => each._id)

    expect(await found({ $gte: 'a', $lt: 'd' })).toEqual(['a', 'b', 'c'])
    expect(await found({ $gte: 'a' })).toEqual(['c', 'a', 'b'])
  })
})
