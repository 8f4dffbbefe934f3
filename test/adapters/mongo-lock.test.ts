import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { connectMongo, type MongoConnection } from '../../shared/adapters/servers/mongo-connection.js'
import { takeLease } from '../../shared/adapters/servers/mongo-lock.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  let connection: MongoConnection
  beforeEach(async () => {
    connection = await connectMongo(freshDatabase(url()))
  })
  afterEach(() => connection.client.close())

  const take = (timing: { leaseMs: number; renewEveryMs: number }) => takeLease(connection.db, 'sync', timing)
  const lease = () => connection.db.collection('locks').findOne({})

  test('a lease is renewed for as long as it is held', async () => {
    const held = await take({ leaseMs: 400, renewEveryMs: 50 })
    await sleep(800)

    expect(await take({ leaseMs: 400, renewEveryMs: 50 })).toBeNull()
    expect(held?.lost.aborted).toBe(false)
    await held?.release()
  })

  test('a holder that has stopped renewing is followed by another of a later epoch, and learns that it has lost', async () => {
    const stalled = await take({ leaseMs: 100, renewEveryMs: 300 })
    await sleep(150)

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    expect(next).not.toBeNull()
    await sleep(300)

    expect(stalled?.lost.aborted).toBe(true)
    expect(await lease()).toMatchObject({ epoch: 2 })
    // Its release must not set free what is another's by now.
    await stalled?.release()
    expect(await take({ leaseMs: 100, renewEveryMs: 300 })).toBeNull()
    await next?.release()
  })

  test("a holder whose lease has expired, or is another's, is told so when it asks", async () => {
    const stalled = await take({ leaseMs: 150, renewEveryMs: 60_000 })
    await stalled?.check()
    await sleep(200)

    await expect(stalled?.check()).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
    expect(stalled?.lost.aborted).toBe(true)

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    await next?.check()
    await expect(stalled?.check()).rejects.toMatchObject({ code: 'lock_lost' })
    await next?.release()
  })

  test('of many that ask at once one gets it', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => take({ leaseMs: 5_000, renewEveryMs: 1_000 })))

    expect(asked.filter((lock) => lock !== null)).toHaveLength(1)
    for (const lock of asked) {
      await lock?.release()
    }
  })
})
