import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { connectMongo, type MongoConnection } from '../../shared/adapters/servers/mongo/connection.js'
import { takeLease } from '../../shared/adapters/servers/mongo/locks/lock.js'
import type { Lock } from '../../shared/ports/locks.js'
import { aLock } from '../support/a-lock.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { aDraft, aMoment } from '../support/export-drafts.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { silentLog } from '../support/test-log.js'

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

describe('writes under a lock', () => {
  // No check precedes these writes: the store itself compares epochs.
  whenServer('mongodb', (url) => {
    let crawled: CrawledCatalog
    let exports: GridFsExportStore
    beforeEach(async () => {
      crawled = await openCrawledCatalog(url())
      exports = new GridFsExportStore({ db: crawled.db, log: silentLog() })
    })
    afterEach(() => exports.close())

    const lock = (epoch: number): Lock => aLock({ name: 'a job', epoch })
    const refused = { status: 409, code: 'lock_lost' }
    const letter = (reason: string) => ({ id: 'acme/tool', reason, since: '2026-01-01T00:00:00.000Z' }) as const

    test('state that a later holder has written stays, also when that holder has deleted it', async () => {
      const { catalog } = crawled
      await catalog.writeState('key', 'first', lock(1))
      await catalog.writeState('key', 'again', lock(1))
      await catalog.writeState('key', 'later', lock(2))

      await expect(catalog.writeState('key', 'stale', lock(1))).rejects.toMatchObject(refused)
      expect(await catalog.readState('key')).toBe('later')

      await catalog.writeState('key', null, lock(3))
      await expect(catalog.writeState('key', 'stale', lock(2))).rejects.toMatchObject(refused)
      expect(await catalog.readState('key')).toBeNull()
    })

    test('state of an earlier version, or of another lock, is written: their epochs cannot be compared', async () => {
      const { catalog, db } = crawled
      await catalog.writeState('key', 'other', aLock({ name: 'another', epoch: 9 }))
      await catalog.writeState('key', 'present', lock(1))
      expect(await catalog.readState('key')).toBe('present')

      await db.collection('state').updateOne({ json: '"present"' }, { $set: { epoch: 9 }, $unset: { lock: '' } })
      await catalog.writeState('key', 'upgraded', lock(2))
      expect(await catalog.readState('key')).toBe('upgraded')
    })

    test('dead letters that a later holder has written stay, and those of another lock do not matter', async () => {
      const { catalog } = crawled
      await catalog.keepDeadLetters([{ ...letter('later'), source: 'index' }], lock(2))

      const stale = catalog.keepDeadLetters([{ ...letter('stale'), source: 'index' }], lock(1))
      await expect(stale).rejects.toMatchObject(refused)
      await catalog.dropDeadLetters(['acme/tool'], 'index', lock(1))
      expect(await catalog.listDeadLetters(null, 10)).toMatchObject([letter('later')])

      await catalog.keepDeadLetters([{ ...letter('other'), source: 'document' }], aLock({ name: 'another', epoch: 1 }))
      expect(await catalog.listDeadLetters(null, 10)).toMatchObject([letter('other')])
    })

    test('a snapshot that a later holder has published stays the current one', async () => {
      await exports.publish(aMoment(2), [aDraft('later')], lock(2))

      await expect(exports.publish(aMoment(1), [aDraft('stale')], lock(1))).rejects.toMatchObject(refused)

      expect((await exports.snapshots()).map(({ snapshot }) => snapshot)).toEqual([aMoment(2).snapshot])
      await exports.publish(aMoment(3), [aDraft('next')], lock(3))
      expect((await exports.snapshots())[0]?.snapshot).toBe(aMoment(3).snapshot)
    })
  })
})
