import { expect, test } from '@jest/globals'
import { type Collection, type Document, MongoClient, MongoServerError } from 'mongodb'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { SkillTotals } from '../../shared/adapters/servers/mongo/catalog/skill-pages.js'
import { type Row, rowsOf } from '../../shared/adapters/servers/mongo/rows.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { expectManyTotals, topicsOf } from '../contract/catalog/many-totals.js'
import { afterTest } from '../support/after-test.js'
import { intercepted } from '../support/job-bench.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

const second = 1_000

whenServer('mongodb', (url) => {
  /** Totals of a collection with this number of published skills, and the commands of counting them. */
  async function totalsOf(documents: number, intercept: (skills: Collection) => Collection = (skills) => skills) {
    const client = await MongoClient.connect(freshDatabase(url()), { monitorCommands: true })
    afterTest(() => client.close())
    const skills = rowsOf(client.db(), 'skills') as unknown as Collection
    const published = (n: number) => ({ state: 'published', keys: { topics: ['pdf'], stars: n } })
    await skills.insertMany(Array.from({ length: documents }, (_, n) => published(n)))
    const sent: Document[] = []
    client.on('commandStarted', ({ command }) => sent.push(command))
    const clock = { nowMs: 1 }
    const totals = new SkillTotals(intercept(skills) as unknown as Collection<Row>, () => clock.nowMs)
    return { totals, skills, clock, sent }
  }

  test('concurrent requests for equal totals are counted once, within a time limit', async () => {
    const { totals, sent } = await totalsOf(3)
    const asked = Array.from({ length: 20 }, () => totals.count({ topics: ['pdf'] }))

    for (const answer of await Promise.all([...asked, totals.count({ topics: ['PDF'] })])) {
      expect(answer).toEqual({ total: 3, totalIsLowerBound: false })
    }
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ aggregate: 'catalog_skills', maxTimeMS: expect.any(Number) })
    expect(sent[0]?.['maxTimeMS']).toBeLessThanOrEqual(2_000)
  })

  test('a total is cached for 5 seconds, during any writes', async () => {
    const { totals, skills, clock, sent } = await totalsOf(3)
    await totals.count({})
    await skills.insertOne({ state: 'published', keys: { topics: [] } })
    sent.length = 0

    clock.nowMs = 4 * second
    expect(await totals.count({})).toMatchObject({ total: 3 })
    expect(sent).toEqual([])

    clock.nowMs = 6 * second
    expect(await totals.count({})).toMatchObject({ total: 4 })
  })

  test('filters are counted up to 10,000, all skills not at all, and both kept for a minute', async () => {
    const { totals, clock, sent } = await totalsOf(10_020)
    expect(await totals.count({ topics: ['pdf'] })).toEqual({ total: 10_000, totalIsLowerBound: true })
    expect(await totals.count({ minStars: 20 })).toEqual({ total: 10_000, totalIsLowerBound: false })
    expect(await totals.count({})).toEqual({ total: 10_020, totalIsLowerBound: false })
    const [ofTopic, ofStars, ofCollection, ofUnpublished] = sent
    for (const counted of [ofTopic, ofStars, ofUnpublished]) {
      expect(counted?.['pipeline'][1]).toEqual({ $limit: 10_001 })
    }
    // Without a filter MongoDB reads no document.
    expect(ofCollection).toMatchObject({ count: 'catalog_skills' })
    expect(ofCollection).not.toHaveProperty('query')

    clock.nowMs = 59 * second
    await Promise.all([totals.count({ topics: ['pdf'] }), totals.count({})])
    expect(sent).toHaveLength(4)
  })

  test('the total of a list is exact without filters and where it is below 10,000', async () => {
    const client = await MongoClient.connect(freshDatabase(url()))
    afterTest(() => client.close())
    const row = (n: number) => ({ state: 'published', record: '{}', keys: { topics: topicsOf(n) } })
    await client
      .db()
      .collection('catalog_skills')
      .insertMany(Array.from({ length: 10_010 }, (_, n) => row(n)))

    await expectManyTotals(catalogIn({ client, db: client.db() }, defaultDocumentSettings))
  })

  test('of all skills those are counted that are published, also where most are not', async () => {
    const { totals, skills, clock } = await totalsOf(3)
    const hidden = (n: number) => Array.from({ length: n }, () => ({ state: 'hidden' }))
    await skills.insertMany([...hidden(2), { state: 'removed' }, { state: 'gone' }])
    expect(await totals.count({})).toEqual({ total: 3, totalIsLowerBound: false })

    await skills.insertMany(hidden(10_000))
    clock.nowMs = 6 * second
    expect(await totals.count({})).toEqual({ total: 3, totalIsLowerBound: false })
  })

  test('a total that MongoDB could not count in time is not counted again for a minute', async () => {
    let counts = 0
    const expiring = (skills: Collection) =>
      intercepted(skills, (name, call) => (...args) => {
        if (name !== 'countDocuments') {
          return call(...args)
        }
        counts += 1
        return Promise.reject(new MongoServerError({ message: 'operation exceeded time limit', code: 50 }))
      })
    const { totals, clock } = await totalsOf(1, expiring)

    expect(await totals.count({ topics: ['pdf'] })).toBeNull()
    clock.nowMs = 59 * second
    expect(await totals.count({ topics: ['pdf'] })).toBeNull()
    expect(counts).toBe(1)
  })

  test('a count that fails is tried again by the next request', async () => {
    const failing = (skills: Collection) => intercepted(skills, () => () => Promise.reject(new Error('gone')))
    const { totals } = await totalsOf(1, failing)

    await expect(totals.count({})).rejects.toThrow('gone')
    await expect(totals.count({})).rejects.toThrow('gone')
  })
})
