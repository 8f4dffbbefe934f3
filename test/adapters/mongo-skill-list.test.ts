import { expect, test } from '@jest/globals'
import { type Db, type Document, MongoClient, MongoServerError } from 'mongodb'
import { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import type { ListPosition } from '../../shared/ports/skill-reader.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { skillOf } from '../../shared/records/skill.js'
import { aFence } from '../support/a-fence.js'
import { aSkill } from '../support/factories.js'
import { freshDatabase } from '../support/mongo-database.js'
import { createdIndexes, hasAllOf, isServed, rowsOf } from '../support/mongo-queries.js'
import { monitored, recordQueries } from '../support/mongo-sent-queries.js'
import { whenServer } from '../support/servers.js'

const id = '_catalog.id'

whenServer('mongodb', (url) => {
  test.each(
    (['updated', 'stars', 'created', 'name'] as const).flatMap((sort) =>
      (['asc', 'desc'] as const).map((order) => [sort, order] as const),
    ),
  )('by %s %s any page begins with a seek in an index', async (sort, order) => {
    const client = new MongoClient(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    const asked: Document[] = []
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find' && command['find'] === 'skills' && command['filter']['$and'] !== undefined) {
        asked.push(command)
      }
    })
    const catalog = new MongoCatalog({ client, db: client.db() }, defaultDocumentSettings)
    try {
      await ensureIndexes(client.db(), defaultDocumentSettings.changedField)
      const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`
      await catalog.put(
        'skills',
        Array.from({ length: 30 }, (_, n) =>
          aSkill(
            n % 6 === 0 ? {} : { stars: n % 3, name: `name ${n % 3}`, updatedAt: at(n % 3), createdAt: at(n % 3) },
          ),
        ),
      )
      const list = { filters: {}, sort, order, limit: 7 }
      const indexes = (await client.db().collection('skills').indexes()).map(({ key }) => Object.keys(key).join())

      let position: ListPosition | null = (await catalog.listSkills(list)).next
      asked.length = 0
      while (position !== null) {
        position = (await catalog.listSkills({ ...list, after: position })).next
      }

      expect(asked.length).toBeGreaterThan(3)
      for (const { filter, sort: sorted, skip, limit } of asked) {
        expect({ skip: skip ?? 0, rows: limit <= 8 }).toEqual({ skip: 0, rows: true })
        // State and key are given or sorted by, and the id decides: all three, in this order, are an index.
        const keys = [...sorted.keys()]
        expect(keys.at(-1)).toBe(id)
        const key = `_catalog.skill.${sort}`
        expect(indexes).toContain(`_catalog.state,${key},${id}`)
        expect(JSON.stringify(filter)).toContain(`"${key}"`)
        expect(keys.filter((name) => ![key, id].includes(name))).toEqual([])
      }
    } finally {
      await catalog.close()
    }
  })

  test.each(['asc', 'desc'] as const)(
    'by trending %s any page is read from an index that has all of it',
    async (order) => {
      const { sent } = recordQueries()
      const client = await new MongoClient(monitored(freshDatabase(url())), { ignoreUndefined: true }).connect()
      const catalog = new MongoCatalog({ client, db: client.db() }, defaultDocumentSettings)
      try {
        await ensureIndexes(client.db(), defaultDocumentSettings.changedField)
        await catalog.put(
          'skills',
          Array.from({ length: 40 }, (_, n) =>
            aSkill({ owner: 'a', repo: `r${n}`, stars: n % 7 === 0 ? null : n % 9 }),
          ),
        )
        await catalog.writeHistories(
          Array.from({ length: 20 }, (_, n) => ({ id: `a/r${n}`, days: [], trend: n % 4 })),
          aFence(),
        )
        const skills = client.db().collection('skills')
        const indexes = await createdIndexes(skills)
        const asked: Document[] = []
        client.on('commandStarted', ({ commandName, command }) => {
          if (commandName === 'find' && command['find'] === 'skills') {
            asked.push(command)
          }
        })
        sent.length = 0
        const list = { filters: { archived: false }, sort: 'trending', order, limit: 4 } as const
        for (let after: ListPosition | null | undefined; after !== null; ) {
          after = (await catalog.listSkills({ ...list, ...(after && { after }) })).next
        }
        await catalog.listSkills({ ...list, offset: 30 })

        const pages = sent.filter(({ collection, command }) => collection === 'skills' && command === 'find')
        expect(new Set(pages.map(({ conditions }) => JSON.stringify(conditions))).size).toBeGreaterThan(4)
        for (const page of pages) {
          const serving = rowsOf(page).flatMap((row) => {
            const index = indexes.find(({ name }) => name === row.index)
            return index !== undefined && isServed(row, index) && hasAllOf(page, index) ? [index.name] : []
          })
          expect({ page, serving: [...new Set(serving)] }).toEqual({
            page,
            serving: [expect.stringMatching(/^catalog_by_(trend|stars)$/)],
          })
        }
        for (const { find, filter, sort, skip = 0, limit } of asked) {
          const plan = await explained(client.db(), { find, filter, sort, skip, limit })
          expect(plan).not.toMatch(/"(COLLSCAN|SORT)"/)
        }
      } finally {
        await catalog.close()
      }
    },
  )

  test('a page by number skips entries of the index once, then begins at a position', async () => {
    const client = new MongoClient(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    const asked: Document[] = []
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find' && command['filter']['$and'] !== undefined) {
        asked.push(command)
      }
    })
    const catalog = new MongoCatalog({ client, db: client.db() }, defaultDocumentSettings)
    try {
      await ensureIndexes(client.db(), defaultDocumentSettings.changedField)
      await catalog.put(
        'skills',
        Array.from({ length: 50 }, (_, stars) => aSkill({ stars })),
      )
      const page = async (number: number) => {
        asked.length = 0
        const { skills } = await catalog.listSkills({
          filters: {},
          sort: 'stars',
          order: 'desc',
          limit: 5,
          offset: (number - 1) * 5,
        })
        const stars = skills.map((skill) => skillOf(skill).stars)
        expect(stars).toEqual([0, 1, 2, 3, 4].map((place) => 49 - (number - 1) * 5 - place))
        return asked.map(({ skip = 0, limit }) => ({ skip, limit }))
      }

      expect(await page(7)).toEqual([{ skip: 29, limit: 1 }, ...afterPosition])
      const [skipping] = asked
      // MongoDB answers it from the index: state and stars are conditions or in it, and so is the id.
      expect(skipping?.['projection']).toEqual({ _id: 0, '_catalog.id': 1, '_catalog.skill.stars': 1 })
      expect([...(skipping?.['sort'].keys() ?? [])]).toEqual(['_catalog.skill.stars', '_catalog.id'])
      expect(await page(7)).toEqual(afterPosition)
      expect(await page(8)).toEqual(afterPosition)
      expect(await page(1)).toEqual([{ skip: 0, limit: 6 }])
      expect(await page(2)).toEqual(afterPosition)
    } finally {
      await catalog.close()
    }
  })
})

/** How the server goes about a query; nothing where it does not say, as the stand-in. */
async function explained(db: Db, query: Document): Promise<string> {
  try {
    return JSON.stringify((await db.command({ explain: query, verbosity: 'queryPlanner' }))['queryPlanner'])
  } catch (error) {
    if (error instanceof MongoServerError && error.codeName === 'CommandNotFound') {
      return ''
    }
    throw error
  }
}

/** The rest of the skills with the value of the position, and those beyond it. */
const afterPosition = [
  { skip: 0, limit: 6 },
  { skip: 0, limit: 6 },
]
