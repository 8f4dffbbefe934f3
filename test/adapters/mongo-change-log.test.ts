import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import type { MongoChangeLog } from '../../shared/adapters/servers/mongo-change-log.js'
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

  /** Leaves the log as a writer does that ended before all of its last batch was in its place. */
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

  test('a batch that is not whole in its place is not shown', async () => {
    await log.append({
      onto: 0,
      changes: [published('acme/a'), published('acme/b')],
      watermark: 'w',
      complete: true,
      at,
    })
    await interruptLast(['acme/b'])

    expect(await ids()).toEqual([])
  })

  test('a batch whose writer ended in between is completed by the next one, and shown before anything later', async () => {
    const head = await log.append({
      onto: 0,
      changes: [published('acme/a'), published('acme/b')],
      watermark: 'w',
      complete: true,
      at,
    })
    await interruptLast(['acme/b'])

    expect(await log.position()).toEqual({ head, watermark: 'w', complete: true })
    expect(await ids()).toEqual(['acme/a', 'acme/b'])
    await log.append({ onto: head, changes: [published('acme/c')], watermark: 'x', complete: true, at })
    expect(await ids()).toEqual(['acme/a', 'acme/b', 'acme/c'])
  })

  test('a writer that stood still puts nothing older over what was logged since', async () => {
    const head = await log.append({
      onto: 0,
      changes: [published('acme/a', 'old')],
      watermark: 'w',
      complete: true,
      at,
    })
    const entry = await db.collection('changes').findOne()
    await log.append({ onto: head, changes: [published('acme/a', 'new')], watermark: 'x', complete: true, at })
    // As if its batch had never been confirmed: whoever comes next puts it in its place once more.
    const newest = await db.collection('change_log').findOne()
    await db.collection('change_log').updateOne({}, { $set: { settled: 0, pending: [entry] } })

    expect(await log.logged(['acme/a'])).toEqual([published('acme/a', 'new')])
    expect(await log.position()).toEqual({ head: newest?.['sequence'], watermark: 'x', complete: true })
  })

  test('a log that was lost begins anew behind everything that it ever told', async () => {
    const head = await log.append({ onto: 0, changes: [published('acme/a')], watermark: 'w', complete: true, at })
    await db.dropDatabase()

    expect(await log.position()).toEqual({ head: 0, watermark: null, complete: false })
    const later = new Date(at.getTime() + 1)
    await log.append({ onto: 0, changes: [published('acme/a')], watermark: 'w', complete: true, at: later })
    // Whoever has read up to the old head is told to start again.
    expect((await log.after(0, 10)).horizon).toBeGreaterThanOrEqual(head)
  })
})
