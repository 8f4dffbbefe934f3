import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { expect, jest, test } from '@jest/globals'
import {
  Binary,
  BSONRegExp,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  type ObjectId,
  Timestamp,
} from 'mongodb'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { retryDeadLetters } from '../../services/indexer/jobs/retry-dead-letters.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { openIndexBench } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'

jest.setTimeout(120_000)

const megabyte = 1_024 * 1_024

/** An object in an object, so many times. */
const nested = (levels: number): Document =>
  levels === 0 ? {} : Array.from({ length: levels }).reduce<Document>((inner) => ({ a: inner }), {})

/** What another application may have put in place of the catalog's metadata. @param id of no other document */
const oddMetadata = (id: string): unknown[] => [
  null,
  5,
  'text',
  [],
  [{ id, state: 'published', hash: 'x' }],
  {},
  { previousIds: 5 },
  { state: 'published' },
  { id, state: 'draft' },
  { id: 5 + id.length, state: 'published', skill: null },
  { id: [`${id}-a`, `${id}-b`], state: 'published', hash: ['x'] },
  { id, state: 'hidden', hash: 5 },
  { id, state: 'published', skill: { owner: { a: 1 }, topics: [{}], stars: 'x' } },
  { id, state: 'published', changedAt: 'now', pending: 'now', trend: 'up' },
  { '~bsontype': 'ObjectId', previousIds: [{ '~bsontype': 'x' }] },
  { id, state: 'published', later: 1 },
]

/** Values that no field of the catalog has, in a field of it, or in one that it does not know. */
const oddValues: [string, unknown][] = [
  ['a name of the driver', { '~bsontype': 'Nonsense' }],
  ['a name of a type of the driver', { '~bsontype': 'ObjectId', id: 'x' }],
  ['a name of the driver in a list', [1, { deep: [{ '~bsontype': 'Long' }] }]],
  ['a regular expression of another language', new BSONRegExp('(?i)x', '')],
  ['a regular expression with an odd option', new BSONRegExp('odd option', 'u')],
  ['bytes', new Binary(Buffer.alloc(3), 128)],
  ['many levels', nested(170)],
  ['the least and the greatest', [new MinKey(), new MaxKey()]],
  ['numbers of other types', [Long.MAX_VALUE, new Double(Number.NaN), new Timestamp({ t: 1, i: 1 })]],
  ['a time out of range', new Date(Number.NaN)],
  ['members of JavaScript', { toString: 1, valueOf: 1, constructor: 1, toJSON: 1, toBSON: 1 }],
  ['operators', { $gt: 1, $where: 'x' }],
  ['a reference', { $ref: 5, $id: null }],
  ['names with dots, and none', { 'a.b': 1, '': 2 }],
]

whenServer('mongodb', (url) => {
  async function aBench() {
    const crawled = await openCrawledCatalog(url())
    const bench = await openIndexBench()
    const stores = { catalog: crawled.catalog, changes: crawled.changes, ingest: crawled.documents }
    const run = (job: Job) => bench.run(job, stores)
    const insert = (type: string, documents: Document[]) => insertBytes(crawled.address, type, documents)
    /** Every job that reads documents, one after the other. */
    const runAll = async () => {
      await run(ingest)
      await run(syncIndex)
      await run(computeStats)
      await run(writeExports)
      await run(rebuildIndex)
      await run(reconcile)
      await run(writeDataset)
      await run(retryDeadLetters)
    }
    const listed = async () => (await crawled.catalog.scanSkills(null, 1_000)).map(({ id }) => id)
    const letters = async () => (await crawled.catalog.listDeadLetters(null, 100)).map(({ id }) => id)
    return { ...crawled, bench, run, runAll, insert, listed, letters }
  }

  test('documents with odd catalog metadata are ingested like any other', async () => {
    const { insert, runAll, run, listed, letters } = await aBench()
    const named = (of: string, place: number) => ({
      id: `${of}${place}`,
      repo: `${of}${place}`,
      login: `${of}${place}`,
    })
    const expected: string[] = []
    for (const type of ['skills', 'prompts', 'organizations']) {
      const fields = { owner: 'acme', title: 'Odd', content: 'odd' }
      const documents = [...oddMetadata('').keys()].flatMap((place) => [
        { ...fields, ...named('new', place), _catalog: oddMetadata(`x/new${place}`)[place], updatedAt: new Date() },
        { ...fields, ...named('old', place), _catalog: oddMetadata(`x/older${place}`)[place] },
      ])
      await insert(type, documents)
    }
    for (const place of oddMetadata('').keys()) {
      expected.push(`acme/new${place}`, `acme/old${place}`)
    }

    await runAll()
    await run(ingest)

    expect(await listed()).toEqual(expected.sort())
    expect(await letters()).toEqual([])
    expect(await run(reconcile)).toMatchObject({ compared: expected.length, missing: 0, extra: 0, different: 0 })
  })

  test('documents with odd values are published without them', async () => {
    const { insert, runAll, run, listed, letters, catalog } = await aBench()
    const expected: string[] = []
    for (const [place, [, value]] of oddValues.entries()) {
      const documents = [
        { repo: 'unknown', raw: value, updatedAt: new Date() },
        { repo: 'times', updatedAt: value instanceof BSONRegExp ? null : value, createdAt: value },
        { repo: 'texts', name: value, description: value, license: value, stars: value },
        { repo: 'lists', topics: value, formerIds: [value] },
      ].map((document) => ({ owner: 'acme', ...document, repo: `${document.repo}${place}` }))
      expected.push(...documents.map(({ repo }) => `acme/${repo}`))
      await insert('skills', documents)
      await insert('prompts', [{ id: `${place}`, title: 'Odd', content: 'odd', description: value, createdAt: value }])
      await insert('organizations', [{ login: `${place}`, name: value, description: value, createdAt: value }])
    }

    await runAll()

    expect(await listed()).toEqual(expected.sort())
    expect(await letters()).toEqual([])
    expect(await run(reconcile)).toMatchObject({ compared: expected.length, missing: 0, extra: 0, different: 0 })
    const imported = expected.map((id) => aSkill({ owner: 'acme', repo: id.slice('acme/'.length) }))
    expect(await catalog.put('skills', imported)).toMatchObject({ added: 0 })
    expect(await catalog.remove('skills', expected)).toBe(expected.length)
  })

  test('documents with odd values where they must have others are dead letters, each with a finding', async () => {
    const { insert, runAll, listed, letters, bench } = await aBench()
    await insert('skills', [{ owner: 'acme', repo: 'good' }])
    for (const [place, [, value]] of oddValues.entries()) {
      await insert('skills', [
        { owner: 'acme', repo: value },
        { owner: 'acme', repo: `state${place}`, state: value },
        { owner: 'acme', repo: `flag${place}`, hidden: value },
      ])
      await insert('prompts', [{ id: `${place}`, title: 'Odd', content: value }])
      await insert('organizations', [{ login: value, name: value }])
    }

    await runAll()

    expect(await listed()).toContain('acme/good')
    const found = await letters()
    expect(found).toEqual(expect.arrayContaining(oddValues.map((_, place) => `prompts:${place}`)))
    expect(found.length).toBeGreaterThanOrEqual(2 * oddValues.length)
    for (const id of found) {
      expect(bench.findings).toContainEqual({ kind: 'rejected', id, reason: expect.any(String) })
    }
  })

  test('a document whose _id cannot be written back is a dead letter, and changes no other document', async () => {
    const { insert, runAll, listed, letters, skills, run } = await aBench()
    await insert('skills', [
      { _id: { '~bsontype': 'x' }, owner: 'acme', repo: 'nameless' },
      { owner: 'acme', repo: 'good' },
    ])

    await runAll()

    expect(await listed()).toEqual(['acme/good'])
    expect(await letters()).toEqual([expect.stringContaining('_bsontype')])

    await skills.deleteMany({ repo: 'nameless' })
    await run(reconcile)
    expect(await letters()).toEqual([])
  })

  test('a document with a large value is ingested, and one for whose ids no row has room is a dead letter', async () => {
    const { db, skills, runAll, run, listed, bench } = await aBench()
    const large = 'x'.repeat(9 * megabyte)
    for (const _id of [`${large}1`, `${large}2`]) {
      await skills.insertOne({ _id: _id as unknown as ObjectId, owner: 'acme', repo: 'unread' })
    }
    await skills.insertMany([
      { owner: 'acme', repo: large },
      { owner: 'acme', repo: 'good' },
      { owner: 'acme', repo: 'large', updatedAt: large },
      { owner: 'acme', repo: 'address', url: large },
      // Without room for another field.
      { owner: 'acme', repo: 'full', readme: 'x'.repeat(16 * megabyte - 100) },
    ])
    await db.collection('prompts').insertOne({ id: large, title: 'Long', content: 'long' })

    await run(ingest)
    await runAll()

    expect(await listed()).toEqual(['acme/address', 'acme/full', 'acme/good', 'acme/large'])
    const reasons = bench.findings.flatMap((finding) => ('reason' in finding ? [finding.reason] : []))
    expect(new Set(reasons)).toEqual(
      new Set([
        '_id: it is longer than 10,000 characters, for which the catalog has no room',
        'id: it is longer than 1,000 characters, for which the catalog has no room',
      ]),
    )
  })

  test('a rejected skill or prompt has a dead letter until it is corrected', async () => {
    const { db, skills, run, letters, listed, bench } = await aBench()
    await skills.insertOne({ owner: 'acme', repo: 'bad', state: 'gone', updatedAt: new Date() })
    await db.collection('prompts').insertOne({ id: 'odd', title: 'Odd', updatedAt: new Date() })
    expect(await run(ingest)).toMatchObject({ rejected: 2 })
    expect(bench.findings).toEqual(
      expect.arrayContaining([
        { kind: 'rejected', id: 'acme/bad', reason: expect.stringMatching(/state/) },
        { kind: 'rejected', id: 'prompts:odd', reason: expect.stringMatching(/content/) },
      ]),
    )
    expect(await run(ingest)).toMatchObject({ rejected: 0 })

    await skills.updateOne({}, { $set: { state: 'published', updatedAt: new Date() } })
    await db.collection('prompts').updateOne({}, { $set: { content: 'odd', updatedAt: new Date() } })
    await run(ingest)

    expect(await letters()).toEqual([])
    expect(await listed()).toEqual(['acme/bad'])
  })
})

/** Node reports each new connection. */
const channel = 'net.client.socket'

/** Makes of the names and options that the driver writes those that it refuses, of the same length. */
function odd(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf('~bsontype'); at >= 0; at = bytes.indexOf('~bsontype')) {
    bytes.write('_', at)
  }
  for (let at = bytes.indexOf('odd option\0u\0'); at >= 0; at = bytes.indexOf('odd option\0u\0')) {
    bytes.write('g', at + 'odd option\0'.length)
  }
  return bytes
}

/**
 * Inserts documents as an application with another driver does: `~bsontype` becomes `_bsontype`, a name that the driver
 * of Node refuses to write, and the option `u` of a regular expression becomes `g`, which it refuses to read.
 */
async function insertBytes(address: string, collection: string, documents: Document[]): Promise<void> {
  const makeOdd = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    // Node sets the method itself when it connects.
    socket.once('connect', () => {
      const write = socket.write.bind(socket)
      socket.write = (bytes: Uint8Array | string) => write(odd(Buffer.from(bytes)))
    })
  }
  subscribe(channel, makeOdd)
  const client = new MongoClient(address)
  try {
    const { writeErrors } = await client.db().command({ insert: collection, documents })
    if (writeErrors !== undefined) {
      throw new Error(JSON.stringify(writeErrors))
    }
  } finally {
    await client.close()
    unsubscribe(channel, makeOdd)
  }
}
