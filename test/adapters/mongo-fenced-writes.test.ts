import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import type { Lock } from '../../shared/ports/locks.js'
import { aLock } from '../support/a-lock.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { aDraft, aMoment } from '../support/export-drafts.js'
import { whenServer } from '../support/servers.js'
import { silentLog } from '../support/test-log.js'

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
