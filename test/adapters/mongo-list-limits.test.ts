import { expect, test } from '@jest/globals'
import { type Collection, type Db, type Document, MongoClient, MongoServerError } from 'mongodb'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { filterOf } from '../../shared/adapters/servers/mongo/catalog/skill-list.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { type Row, rowsOf } from '../../shared/adapters/servers/mongo/rows.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import type { SkillListQuery } from '../../shared/ports/skill-reader.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { afterTest } from '../support/after-test.js'
import { anOrganization, aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

const byStars: SkillListQuery = { filters: {}, sort: 'stars', order: 'desc', limit: 2 }

const expired = () =>
  Promise.reject(
    new MongoServerError({ message: 'operation exceeded time limit', code: 50, codeName: 'MaxTimeMSExpired' }),
  )

/** A database that ends these queries by their time limit. */
const expiring = (db: Db, queries: string[]): Db =>
  intercepted(db, (name, call) => (...args) => {
    const found = call(...args)
    return name === 'collection'
      ? intercepted(found as Collection, (query, ask) => (...options) => {
          if (!queries.includes(query)) {
            return ask(...options)
          }
          return query === 'find' ? { toArray: expired, [Symbol.asyncIterator]: () => ({ next: expired }) } : expired()
        })
      : found
  })

whenServer('mongodb', (url) => {
  /** An empty catalog, and the replies of MongoDB to it. */
  async function open() {
    const client = new MongoClient(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    afterTest(() => client.close())
    const replies: Document[] = []
    client.on('commandSucceeded', ({ reply }) => replies.push(reply as Document))
    const over = (db: Db) => catalogIn({ client, db }, defaultDocumentSettings)
    const db = client.db()
    await ensureIndexes(db, defaultDocumentSettings.changedField)
    return { db, catalog: over(db), over, replies }
  }

  test('a list that MongoDB cannot find in time is a 503 with advice', async () => {
    const { db, over } = await open()
    await expect(over(expiring(db, ['find'])).listSkills(byStars)).rejects.toMatchObject({
      status: 503,
      code: 'query_timeout',
      message: 'This list takes too long. Ask with fewer filters, a rarer one, or in another order.',
      headers: { 'Retry-After': '30' },
    })
  })

  test('a total that cannot be counted in time does not delay a page, and is a lower bound', async () => {
    const { db, catalog, over } = await open()
    await catalog.put(
      'skills',
      Array.from({ length: 5 }, (_, stars) => aSkill({ stars })),
    )
    const uncounted = over(expiring(db, ['countDocuments']))

    expect(await uncounted.listSkills(byStars)).toMatchObject({ total: 3, totalIsLowerBound: true })
    expect(await uncounted.listSkills({ ...byStars, offset: 2 })).toMatchObject({ total: 5, totalIsLowerBound: true })
    expect(await uncounted.listSkills({ ...byStars, offset: 9 }).catch(({ code }) => code)).toBe('query_timeout')
    expect(await catalog.listSkills(byStars)).toMatchObject({ total: 5, totalIsLowerBound: false })
  })

  test('an index begins with each filter', async () => {
    const filters: Required<SkillFilters> = {
      owner: 'acme',
      topics: ['pdf', 'csv'],
      license: 'mit',
      language: 'go',
      archived: true,
      minStars: 5,
      updatedSince: '2026-01-01T00:00:00.000Z',
    }
    const { db } = await open()
    const begins = (await rowsOf(db, 'skills').indexes()).map(({ key }) => Object.keys(key).slice(0, 2).join())
    const asked = Object.entries(filters).map(([name, value]) => Object.keys(filterOf({ [name]: value })).join())

    expect(begins).toEqual(expect.arrayContaining(asked))
  })

  test('the repositories of skills that are not archived are counted from an index alone', async () => {
    const { db, catalog } = await open()
    const asked: Document[] = []
    db.client.on('commandStarted', ({ command }) => asked.push(command))
    await catalog.listSkills({ ...byStars, filters: { archived: false }, distinct: 'repository' })

    const [matched, , grouped] = asked.flatMap(({ pipeline }) => pipeline ?? [])
    const members = [...Object.keys(matched.$match), '_id']
    expect(JSON.stringify(grouped.$group._id)).toContain('"$_id"')
    const indexes = await rowsOf(db, 'skills').indexes()
    // A partial index, or one without the id, would not have all that is asked for.
    const covering = indexes.filter(({ key }) => Object.keys(key).join() === members.join())
    expect(covering.map(({ partialFilterExpression }) => partialFilterExpression)).toEqual([undefined])
  })

  test('each query of a job for the whole catalog has a time limit', async () => {
    const { db, catalog } = await open()
    await catalog.put('skills', [aSkill({ owner: 'acme', topics: ['pdf'] })])
    await catalog.put('organizations', [anOrganization({ login: 'acme' })])
    const asked: Document[] = []
    db.client.on('commandStarted', ({ command }) => asked.push(command))
    await catalog.scanSkills(null, 10)
    await catalog.scanForIndex(null, 10)
    await catalog.computeStats()
    await catalog.largestValues('topics')
    for (const type of ['skills', 'prompts', 'organizations'] as const) {
      await catalog.exportRows(type, 10)
    }

    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter(({ maxTimeMS }) => maxTimeMS === undefined)).toEqual([])
  })

  test('near matches are limited in each place, and those of the same name are not sorted first', async () => {
    const { db, catalog, replies } = await open()
    const of = (n: number) => ({ _id: `owner${n}/tool`, state: 'published', keys: { repo: 'tool' } }) as Row
    await rowsOf(db, 'skills').insertMany(Array.from({ length: 400 }, (_, n) => of(n)))
    const asked: Document[] = []
    replies.length = 0
    const client = db.client
    client.on('commandStarted', ({ command }) => asked.push(command))

    expect(await catalog.nearMatches('ownr7/tool', 3)).toHaveLength(3)

    expect(asked).toHaveLength(4)
    for (const { filter, limit, sort, projection, maxTimeMS } of asked) {
      expect({ limit, projection }).toEqual({ limit: 300, projection: { _id: 1 } })
      expect(maxTimeMS).toBeGreaterThan(0)
      // Only the key of the index that the filter uses allows a sort.
      expect(Object.keys(filter)).toContain(sort === undefined ? 'keys.repo' : '_id')
    }
    expect(documentsIn(replies)).toBeLessThanOrEqual(900)
  })

  test('the rows of organizations are computed in MongoDB, which returns no more than is shown', async () => {
    const { catalog, replies } = await open()
    const owners = Array.from({ length: 30 }, (_, n) => `owner${n}`)
    await catalog.put(
      'skills',
      owners.flatMap((owner, n) => [
        aSkill({ owner, topics: Array.from({ length: 12 }, (_, t) => `topic-${n}-${t}`), stars: n }),
        aSkill({ owner, topics: [`topic-${n}-7`, 'z'], stars: n }),
      ]),
    )
    await catalog.put(
      'organizations',
      owners.map((login) => anOrganization({ login })),
    )
    await catalog.exportRows('organizations', 1)
    replies.length = 0

    const { total, rows } = await catalog.exportRows('organizations', 10)

    expect(total).toBe(30)
    expect(rows.map(({ login }) => login)).toEqual(owners.slice(20).reverse())
    expect(rows[0]?.topTopics).toEqual(['topic-29-7', 'topic-29-0', 'topic-29-1', 'topic-29-10', 'topic-29-11'])
    // Ten owners, their organizations and their topics, and one total.
    expect(documentsIn(replies)).toBeLessThanOrEqual(31)
  })
})

/** The number of documents in these replies of MongoDB. */
const documentsIn = (replies: Document[]): number =>
  replies
    .flatMap(({ cursor }) => [cursor?.firstBatch, cursor?.nextBatch])
    .reduce((sum, batch) => sum + (batch?.length ?? 0), 0)
