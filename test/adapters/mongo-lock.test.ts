import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { connectMongo, type MongoConnection } from '../../shared/adapters/servers/mongo/connection.js'
import { takeLease } from '../../shared/adapters/servers/mongo/locks/lock.js'
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

  test('a holder that has stopped renewing is followed by one of a later epoch, and loses its lock', async () => {
    const stalled = await take({ leaseMs: 100, renewEveryMs: 300 })
    await sleep(150)

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    expect(next).not.toBeNull()
    await sleep(300)

    expect(stalled?.lost.aborted).toBe(true)
    expect(next?.epoch).toBe((stalled?.epoch ?? 0) + 1)
    expect([stalled?.takenOver, next?.takenOver]).toEqual([false, true])
    expect(await lease()).toMatchObject({ epoch: next?.epoch })
    // Its release must not release another's lock.
    await stalled?.release()
    expect(await take({ leaseMs: 100, renewEveryMs: 300 })).toBeNull()
    await next?.release()
  })

  test("a holder whose lease has expired, or is another's, fails its check without a request", async () => {
    const stalled = await take({ leaseMs: 1_000, renewEveryMs: 60_000 })
    expect(() => stalled?.check()).not.toThrow()
    await sleep(1_100)

    expect(() => stalled?.check()).toThrow(expect.objectContaining({ status: 409, code: 'lock_lost' }))
    expect(stalled?.lost.aborted).toBe(true)

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    expect(() => next?.check()).not.toThrow()
    expect(() => stalled?.check()).toThrow(expect.objectContaining({ code: 'lock_lost' }))
    await next?.release()
  })

  test('taking a released lock is no takeover, and its epochs continue', async () => {
    const first = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    await first?.release()

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })

    expect(next).toMatchObject({ takenOver: false, epoch: (first?.epoch ?? 0) + 1 })
    await next?.release()
  })

  test("a lease that would last longer than any is void: the database's clock was set back", async () => {
    const dead = await take({ leaseMs: 10_000, renewEveryMs: 60_000 })
    await connection.db.collection('locks').updateOne({}, { $set: { expiresAt: new Date(Date.now() + 3_600_000) } })

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })

    expect(next).toMatchObject({ takenOver: true, epoch: (dead?.epoch ?? 0) + 1 })
    await next?.release()
    await dead?.release()
  })

  test('after the loss of the locks, epochs continue above the old ones', async () => {
    const before = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })
    await before?.release()
    await sleep(5)
    await connection.db.collection('locks').deleteMany({})

    const next = await take({ leaseMs: 10_000, renewEveryMs: 3_000 })

    expect(next?.epoch).toBeGreaterThan(before?.epoch ?? 0)
    await next?.release()
  })

  test('one of several concurrent callers gets the lock', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => take({ leaseMs: 5_000, renewEveryMs: 1_000 })))

    expect(asked.filter((lock) => lock !== null)).toHaveLength(1)
    for (const lock of asked) {
      await lock?.release()
    }
  })
})
