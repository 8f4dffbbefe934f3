import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, jest, test } from '@jest/globals'
import { type Collection, Double, Long } from 'mongodb'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { type RunningServer, servers, startMongoStandIn, stop } from '../support/run-servers.js'
import { whenServer } from '../support/servers.js'

const hourMs = 3_600_000

/** How a crawler may write a time, given in milliseconds since 1970, so that an index finds it. */
const forms: [string, (ms: number) => unknown][] = [
  ['a date', (ms) => new Date(ms)],
  ['ISO-8601 text', (ms) => new Date(ms).toISOString()],
  ['ISO-8601 text in whole seconds', (ms) => new Date(ms).toISOString().replace(/\.\d+/, '')],
  ['ISO-8601 text with a space', (ms) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00:00')],
  ['seconds', (ms) => Math.floor(ms / 1_000)],
  ['seconds with a fraction', (ms) => ms / 1_000],
  ['milliseconds', (ms) => ms],
  ['milliseconds as a long', (ms) => Long.fromNumber(ms)],
  ['milliseconds as a double', (ms) => new Double(ms)],
  ['seconds in text', (ms) => String(Math.floor(ms / 1_000))],
  ['milliseconds in text', (ms) => String(ms)],
]

const write = (skills: Collection, stars: number, updatedAt: unknown) =>
  skills.updateOne({ repo: 'tool' }, { $set: { stars, updatedAt } })

const isThere = servers.mongodb.found()

jest.setTimeout(120_000)

;(isThere ? describe : describe.skip)('on a MongoDB without change streams', () => {
  let server: Promise<RunningServer> | null = null
  afterAll(async () => {
    if (server !== null) {
      await stop(await server)
    }
  })
  const open = async () => {
    server ??= startMongoStandIn(0)
    return openCrawledCatalog((await server).url)
  }
  test.each(forms)('a change with a time as %s is found by index, and read once', async (_form, form) => {
    const { skills, ingest, documents, listed } = await open()
    await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1, updatedAt: form(Date.now() - hourMs) })
    await ingest()
    expect(await documents.hasNew()).toBe(false)

    await write(skills, 2, form(Date.now()))

    expect(await documents.hasNew()).toBe(true)
    expect((await ingest()).logged).toMatchObject([{ id: 'acme/tool' }])
    expect(await documents.hasNew()).toBe(false)
    expect(await listed()).toMatchObject([{ stars: 2 }])
  })

  test('what no index finds is found by the comparison', async () => {
    const { skills, ingest, compare, listed } = await open()
    await skills.insertMany(['tool', 'gone'].map((repo) => ({ owner: 'acme', repo, stars: 1 })))
    await ingest()
    await write(skills, 2, 'some day')
    await skills.deleteOne({ repo: 'gone' })
    await skills.insertOne({ owner: 'acme', repo: 'new' })
    expect((await ingest()).logged).toEqual([])

    const { logged } = await compare()

    expect(logged.map(({ id, contentHash, isNew }) => [id, contentHash !== null, isNew])).toEqual([
      ['acme/tool', true, false],
      ['acme/new', true, true],
      ['acme/gone', false, false],
    ])
    expect(await listed()).toMatchObject([{ id: 'acme/new' }, { id: 'acme/tool', stars: 2 }])
  })

  test('the comparison drops the dead letters of duplicates that are gone, and of no other', async () => {
    const { skills, ingest, compare, catalog } = await open()
    await skills.insertMany([1, 2, 3, 4].map((stars) => ({ owner: 'acme', repo: 'tool', stars })))
    const letters = async () => (await catalog.listDeadLetters(null, 10)).length
    await ingest()
    expect(await letters()).toBe(3)
    await skills.deleteMany({ stars: { $gt: 2 } })
    await compare()
    expect(await letters()).toBe(1)

    await skills.deleteMany({})
    await compare()

    expect(await letters()).toBe(0)
  })

  test('it reports no writes, so that they are looked for at an interval', async () => {
    const { documents } = await open()
    const states: unknown[] = []
    let looks = 0
    const end = documents.watch(
      () => (looks += 1),
      (state) => states.push(state),
      20,
    )
    while (looks < 4) {
      await sleep(10)
    }
    await end()

    expect(states).toMatchObject([{ code: 40_573 }])
    const before = looks
    await sleep(100)
    expect(looks).toBe(before)
  })

  test('what was written while no process ran is found by the next one', async () => {
    const { address, db, skills, ingest } = await open()
    await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
    await ingest()
    // As if the process had ended two hours ago.
    await db.collection('change_log').updateOne({}, { $inc: { 'position.atMs': -2 * hourMs } })
    await write(skills, 2, new Date(Date.now() - hourMs))

    const next = await openCrawledCatalog(address, address)

    expect((await next.ingest()).logged).toMatchObject([{ id: 'acme/tool' }])
  })
})

whenServer('mongodb', (url) => {
  test('a change stream reports that it is open, and each write', async () => {
    const { skills, documents } = await openCrawledCatalog(url())
    const states: unknown[] = []
    let looks = 0
    const until = async (count: number) => {
      while (looks < count) {
        await sleep(10)
      }
    }
    const end = documents.watch(
      () => (looks += 1),
      (state) => states.push(state),
      20,
    )
    await until(1)
    await skills.insertOne({ owner: 'acme', repo: 'tool' })
    await until(2)
    await sleep(100)
    await end()

    expect([looks, states]).toEqual([2, [null]])
  })

  test('what was written before a MongoDB became a replica set is found by a comparison', async () => {
    const { address, db, skills, ingest, catalog } = await openCrawledCatalog(url())
    await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 1 })
    await ingest()
    await catalog.close()
    // As it is without change streams.
    await db.collection('change_log').updateOne({}, { $set: { 'position.token': null } })
    await write(skills, 2, 'some day')

    const next = await openCrawledCatalog(url(), address)

    expect((await next.ingest()).logged).toMatchObject([{ id: 'acme/tool' }])
    expect((await next.catalog.rows.head()).position).toMatchObject({ mustCompare: false })
  })
})
