import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { watchCollection } from '../../shared/adapters/servers/mongo-watch.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  test('tells of what is added, changed and deleted, and of nothing once it was ended', async () => {
    const client = await MongoClient.connect(freshDatabase(url()))
    const skills = client.db().collection<Document>('skills')
    await skills.insertOne({ name: 'before', stars: 0 })
    let hints = 0
    const end = watchCollection(skills, () => {
      hints += 1
    })
    const hintsUntil = async (wanted: number) => {
      while (hints < wanted) {
        await sleep(20)
      }
    }
    // When a stream is open is not told: the first change that it shows is the sign.
    while (hints === 0) {
      await skills.updateOne({ name: 'before' }, { $inc: { stars: 1 } })
      await sleep(50)
    }
    await sleep(300)

    for (const write of [
      () => skills.insertOne({ name: 'one', stars: 1 }),
      () => skills.updateOne({ name: 'one' }, { $set: { stars: 2 } }),
      () => skills.deleteOne({ name: 'one' }),
    ]) {
      const before = hints
      await write()
      await hintsUntil(before + 1)
    }

    await end()
    const atEnd = hints
    await skills.insertOne({ name: 'two', stars: 1 })
    await sleep(300)
    expect(hints).toBe(atEnd)
    await client.close()
  })

  test('a server that cannot tell is asked again later, and nothing is thrown', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 })

    const end = watchCollection(client.db().collection('skills'), () => undefined)
    await sleep(500)

    await end()
    await client.close()
  })
})
