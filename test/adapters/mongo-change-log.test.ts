import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import type { RowBatch, RowDraft, RowWriter } from '../../shared/adapters/servers/mongo/change-log/row-writer.js'
import { SourceEvents } from '../../shared/adapters/servers/mongo/ingest/source-events.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  let log: ChangeLog
  let writer: RowWriter
  let db: Db
  beforeEach(async () => {
    const opened = await openCrawledCatalog(url())
    log = opened.changes
    writer = opened.catalog.rows
    db = opened.db
  })

  const at = new Date('2026-01-01T00:00:00.000Z')
  const published = (id: string, contentHash = 'one', isNew = true): RowDraft => ({
    logged: true,
    isNew,
    row: { _id: id, source: id, state: 'published', made: contentHash, contentHash },
  })
  const gone = (id: string): RowDraft => ({
    logged: true,
    isNew: false,
    row: { _id: id, state: 'gone', made: 'gone', contentHash: null },
  })
  const append = (onto: RowBatch['onto'], rows: RowDraft[], more: Partial<RowBatch> = {}) =>
    writer.append({ onto, type: 'skills', rows, complete: true, at, epoch: 1, ...more })
  const none = { head: 0, version: 0 }
  const ids = async () => (await log.after(0, 100)).changes.map(({ id }) => id)
  const hashes = async (id: string) => (await log.logged([id])).map(({ contentHash }) => contentHash)

  /** Leaves the log like a writer that ended before it had written all rows of its last batch. */
  async function interruptLast(inPlace: string[]): Promise<void> {
    const rows = db.collection('catalog_skills')
    const head = await db.collection('change_log').findOne()
    const pending = (await rows.find({ version: head?.['version'] }).toArray()).map((row) => ({
      type: 'skills',
      row,
      dropped: null,
    }))
    await db.collection('change_log').updateOne({}, { $set: { settled: head?.['horizon'], pending } })
    for (const { row } of pending.filter((each) => !inPlace.includes(String(each.row._id)))) {
      await rows.deleteOne({ _id: row._id })
    }
  }

  test('a partly written batch is not shown', async () => {
    await append(none, [published('acme/a'), published('acme/b')])
    await interruptLast(['acme/b'])

    expect(await ids()).toEqual([])
  })

  test('a batch whose writer ended early is completed by the next one, and shown before later batches', async () => {
    const version = await append(none, [published('acme/a'), published('acme/b')])
    await interruptLast(['acme/b'])

    expect(await writer.head()).toMatchObject({ ...version, complete: true })
    expect(await ids()).toEqual(['acme/a', 'acme/b'])
    await append(version, [published('acme/c')])
    expect(await ids()).toEqual(['acme/a', 'acme/b', 'acme/c'])
  })

  test('a position is stored with the batch, and kept by a batch without one', async () => {
    const position = { token: { _data: '01' }, mustCompare: false, atMs: at.getTime() }
    const version = await append(none, [published('acme/a')], { position })
    await interruptLast([])

    expect(await writer.head()).toMatchObject({ position })
    await append(version, [published('acme/b')])
    expect(await writer.head()).toMatchObject({ position })
  })

  test('a row is written without a change of the log where nothing public has changed', async () => {
    const version = await append(none, [published('acme/a')])
    const [before] = await log.logged(['acme/a'])
    const { row } = published('acme/a')
    const kept = { sequence: Number(before?.sequence), changedAt: String(before?.changedAt) }

    await append(version, [{ logged: false, isNew: false, row: { ...row, ...kept, formerIds: ['acme/old'] } }])

    expect(await log.logged(['acme/a'])).toEqual([before])
    expect((await log.bounds()).head).toBe(before?.sequence)
    expect(await db.collection('catalog_skills').findOne({})).toMatchObject({ formerIds: ['acme/old'] })
  })

  test('a later batch keeps that the log is complete, and what was dropped from it', async () => {
    const first = await append(none, [published('acme/a')])
    const second = await append(first, [gone('acme/a')], { complete: false })
    const { head } = await log.bounds()
    expect(await log.prune(new Date(at.getTime() + 1))).toBe(1)

    await append(second, [published('acme/b')], { complete: false })

    expect(await log.bounds()).toMatchObject({ complete: true, horizon: head })
    expect(await ids()).toEqual(['acme/b'])
  })

  test('of a skill that is hidden, its removal is dropped and not its row', async () => {
    const first = await append(none, [published('acme/a')])
    const { row } = published('acme/a')
    await append(first, [{ logged: true, isNew: false, row: { ...row, state: 'hidden', contentHash: null } }])

    expect(await log.prune(new Date(at.getTime() + 1))).toBe(1)

    expect(await ids()).toEqual([])
    expect(await db.collection('catalog_skills').findOne({})).toEqual(
      expect.objectContaining({ state: 'hidden', source: 'acme/a' }),
    )
    expect(await log.prune(new Date(at.getTime() + 1))).toBe(0)
  })

  test('a writer that was suspended does not overwrite later rows', async () => {
    const version = await append(none, [published('acme/a', 'old')])
    const row = await db.collection('catalog_skills').findOne()
    await append(version, [published('acme/a', 'new', false)])
    // As if its batch had never been confirmed: the next caller writes it once more.
    await db
      .collection('change_log')
      .updateOne({}, { $set: { settled: 0, pending: [{ type: 'skills', row, dropped: [] }] } })

    expect(await hashes('acme/a')).toEqual(['new'])
    expect(await ids()).toEqual(['acme/a'])
  })

  test('a writer that has not read the last batch of another one is rejected, and writes nothing', async () => {
    const version = await append(none, [published('acme/a')])
    await append(version, [published('acme/b')])

    for (const onto of [none, version]) {
      const late = append(onto, [published('acme/a', 'late', false)])
      await expect(late).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
    }

    expect(await hashes('acme/a')).toEqual(['one'])
    expect(await ids()).toEqual(['acme/a', 'acme/b'])
  })

  test('an earlier holder of the lock is rejected after a later one, even where that one had nothing to write', async () => {
    const version = await append(none, [published('acme/a')])
    const later = await append(version, [], { epoch: 2 })

    for (const onto of [version, later]) {
      await expect(append(onto, [gone('acme/a')])).rejects.toMatchObject({ status: 409, code: 'lock_lost' })
    }
    expect(await hashes('acme/a')).toEqual(['one'])
  })

  test('one of two first writers is rejected', async () => {
    const outcomes = await Promise.allSettled([
      append(none, [published('acme/a')]),
      append(none, [published('acme/b')]),
    ])

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await ids()).toHaveLength(1)
  })

  test('a lost log begins again above all earlier sequences', async () => {
    await append(none, [published('acme/a')])
    const { head } = await log.bounds()
    await db.dropDatabase()

    expect(await writer.head()).toMatchObject({ head: 0, complete: false, position: null })
    await append(none, [published('acme/a')], { at: new Date(at.getTime() + 1) })
    // A reader of the old log has to start again.
    expect((await log.after(0, 10)).horizon).toBeGreaterThanOrEqual(head)
  })

  test('a log that has lost its head goes on above its rows, and its readers start again', async () => {
    await append(none, [published('acme/a')])
    const { head, catalog } = await log.bounds()
    await db.collection('change_log').drop()

    const recovered = await writer.head()

    expect(recovered).toMatchObject({ head, complete: false, position: null })
    await append(recovered, [published('acme/a', 'two', false)], { at: new Date(0) })
    expect(await hashes('acme/a')).toEqual(['two'])
    const bounds = await log.bounds()
    expect(bounds).toMatchObject({ horizon: head, catalog: expect.not.stringMatching(String(catalog)) })
    expect(bounds.head).toBeGreaterThan(head)
  })
})

whenServer('mongodb', (url) => {
  test('no event is lost where one call looks for news while another one takes events', async () => {
    const client = await MongoClient.connect(url())
    const db = client.db(`events-${randomUUID()}`)
    const events = new SourceEvents(db)
    try {
      const first = await events.take(null, 100)
      const writes = 60
      const each = 10
      let isWriting = true
      const writing = (async () => {
        for (let write = 0; write < writes; write += 1) {
          const documents = Array.from({ length: each }, (_, at) => ({ number: write * each + at }))
          await db.collection('skills').insertMany(documents)
          await sleep(write % 20)
        }
        isWriting = false
      })()
      const asking = (async () => {
        while (isWriting) {
          await events.hasNew()
          await sleep(5)
        }
      })()
      const taken = new Set<string>()
      for (let position: unknown = first?.token, more = true; isWriting || more; ) {
        const next = await events.take(position, 100)
        for (const { id } of next?.events ?? []) {
          taken.add(String(id))
        }
        more = next?.count !== 0
        position = next?.token
      }
      await Promise.all([writing, asking])
      expect(taken.size).toBe(writes * each)
    } finally {
      await events.close()
      await db.dropDatabase()
      await client.close()
    }
  })
})
