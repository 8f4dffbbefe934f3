import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import type { MongoChangeLog } from '../../shared/adapters/servers/mongo/change-log/change-log.js'
import { openMongoChangeLog } from '../support/mongo-change-log.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  let log: MongoChangeLog
  let db: Db
  let close: () => Promise<void>
  beforeEach(async () => {
    const opened = await openMongoChangeLog(freshDatabase(url()))
    log = opened.changes
    db = opened.db
    close = opened.close
  })
  afterEach(() => close())

  const at = new Date('2026-01-01T00:00:00.000Z')
  const published = (id: string, contentHash = 'one') => ({ id, contentHash })
  const ids = async () => (await log.after(0, 100)).changes.map(({ id }) => id)

  /** Leaves the log like a writer that ended before it had written all entries of its last batch. */
  async function interruptLast(inPlace: string[]): Promise<void> {
    const head = await db.collection('change_log').findOne()
    const entries = await db
      .collection('changes')
      .find({ sequence: { $gt: head?.['horizon'] ?? 0 } }, { sort: { sequence: 1 } })
      .toArray()
    await db.collection('change_log').updateOne({}, { $set: { settled: head?.['horizon'], pending: entries } })
    for (const { _id } of entries.filter((entry) => !inPlace.includes(String(entry._id)))) {
      await db.collection('changes').deleteOne({ _id })
    }
  }

  test('a partly written batch is not shown', async () => {
    await log.append({
      onto: 0,
      changes: [published('acme/a'), published('acme/b')],
      complete: true,
      at,
      epoch: 1,
    })
    await interruptLast(['acme/b'])

    expect(await ids()).toEqual([])
  })

  test('a batch whose writer ended early is completed by the next one, and shown before later batches', async () => {
    const head = await log.append({
      onto: 0,
      changes: [published('acme/a'), published('acme/b')],
      complete: true,
      at,
      epoch: 1,
    })
    await interruptLast(['acme/b'])

    expect(await log.writerHead()).toEqual({ head, complete: true })
    expect(await ids()).toEqual(['acme/a', 'acme/b'])
    await log.append({ onto: head, changes: [published('acme/c')], complete: true, at, epoch: 1 })
    expect(await ids()).toEqual(['acme/a', 'acme/b', 'acme/c'])
  })

  test('a batch is rejected while the one before it is not written, and nothing of that one is lost', async () => {
    const onto = await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at, epoch: 1 })
    await interruptLast([])

    const early = log.append({ onto, changes: [published('acme/b')], complete: true, at, epoch: 1 })
    await expect(early).rejects.toMatchObject({ status: 409, code: 'lock_lost' })

    expect(await log.writerHead()).toEqual({ head: onto, complete: true })
    expect(await ids()).toEqual(['acme/a'])
  })

  test('a later batch keeps that the log is complete, and what was dropped from it', async () => {
    const onto = await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at, epoch: 1 })
    const removed = [{ id: 'acme/a', contentHash: null }]
    const head = await log.append({ onto, changes: removed, complete: false, at, epoch: 1 })
    await log.prune(new Date(at.getTime() + 1))

    await log.append({ onto: head, changes: [published('acme/b')], complete: false, at, epoch: 1 })

    expect(await log.bounds()).toMatchObject({ complete: true, horizon: head })
  })

  test('a writer that was suspended does not overwrite later entries', async () => {
    const head = await log.append({
      onto: 0,
      changes: [published('acme/a', 'old')],
      complete: true,
      at,
      epoch: 1,
    })
    const entry = await db.collection('changes').findOne()
    await log.append({ onto: head, changes: [published('acme/a', 'new')], complete: true, at, epoch: 1 })
    // As if its batch had never been confirmed: the next caller writes it once more.
    const newest = await db.collection('change_log').findOne()
    await db.collection('change_log').updateOne({}, { $set: { settled: 0, pending: [entry] } })

    expect(await log.logged(['acme/a'])).toMatchObject([published('acme/a', 'new')])
    expect(await log.writerHead()).toEqual({ head: newest?.['sequence'], complete: true })
  })

  test('a writer that has not read the last batch of another one is rejected, and writes nothing', async () => {
    const head = await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at, epoch: 1 })
    await log.append({ onto: head, changes: [published('acme/b')], complete: true, at, epoch: 1 })

    for (const onto of [0, head]) {
      const late = log.append({ onto, changes: [published('acme/a', 'late')], complete: true, at, epoch: 1 })
      await expect(late).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
    }

    expect(await log.logged(['acme/a'])).toMatchObject([published('acme/a')])
    expect(await ids()).toEqual(['acme/a', 'acme/b'])
  })

  test('an earlier holder of the lock is rejected after a later one, even where that one had nothing to log', async () => {
    const onto = await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at, epoch: 1 })

    expect(await log.append({ onto, changes: [], complete: true, at, epoch: 2 })).toBe(onto)

    const late = log.append({ onto, changes: [{ id: 'acme/a', contentHash: null }], complete: true, at, epoch: 1 })
    await expect(late).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
    expect(await log.logged(['acme/a'])).toMatchObject([published('acme/a')])
  })

  test('one of two first writers is rejected', async () => {
    const append = (id: string) => log.append({ onto: 0, changes: [published(id)], complete: true, at, epoch: 1 })

    const outcomes = await Promise.allSettled([append('acme/a'), append('acme/b')])

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await ids()).toHaveLength(1)
  })

  test('a lost log begins again above all earlier sequences', async () => {
    const head = await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at, epoch: 1 })
    await db.dropDatabase()

    expect(await log.writerHead()).toEqual({ head: 0, complete: false })
    const later = new Date(at.getTime() + 1)
    await log.append({ onto: 0, changes: [published('acme/a')], complete: true, at: later, epoch: 1 })
    // A reader of the old log has to start again.
    expect((await log.after(0, 10)).horizon).toBeGreaterThanOrEqual(head)
  })
})
