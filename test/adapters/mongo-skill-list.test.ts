import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import type { ListPosition } from '../../shared/ports/skill-reader.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { skillOf } from '../../shared/records/skill.js'
import { afterTest } from '../support/after-test.js'
import { aSkill } from '../support/factories.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

const id = '_id'

whenServer('mongodb', (url) => {
  /** An empty catalog, and the requests for pages that begin at a position. */
  async function open() {
    const client = new MongoClient(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    const asked: Document[] = []
    client.on('commandStarted', ({ commandName, command }) => {
      const { $and, $or } = command['find'] === 'catalog_skills' ? command['filter'] : {}
      if (commandName === 'find' && ($and ?? $or) !== undefined) {
        asked.push(command)
      }
    })
    const db = client.db()
    const catalog = catalogIn({ client, db }, defaultDocumentSettings)
    afterTest(() => catalog.close())
    await ensureIndexes(db, defaultDocumentSettings.changedField)
    return { catalog, asked, db }
  }

  test('in every order any page begins with a seek in an index', async () => {
    const { catalog, asked, db } = await open()
    const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`
    await catalog.put(
      'skills',
      Array.from({ length: 30 }, (_, n) =>
        aSkill(n % 6 === 0 ? {} : { stars: n % 3, name: `name ${n % 3}`, updatedAt: at(n % 3), createdAt: at(n % 3) }),
      ),
    )
    const indexes = (await db.collection('catalog_skills').indexes()).map(({ key }) => Object.keys(key).join())

    for (const sort of ['updated', 'stars', 'created', 'name'] as const) {
      for (const order of ['asc', 'desc'] as const) {
        const list = { filters: {}, sort, order, limit: 7 }
        let position: ListPosition | null = (await catalog.listSkills(list)).next
        asked.length = 0
        while (position !== null) {
          position = (await catalog.listSkills({ ...list, after: position })).next
        }

        expect(asked.length).toBeGreaterThan(3)
        for (const { filter, sort: sorted, skip, limit } of asked) {
          expect({ sort, order, skip: skip ?? 0, rows: limit <= 8 }).toEqual({ sort, order, skip: 0, rows: true })
          // State and key are given or sorted by, and the id decides: all three, in this order, are an index.
          const keys = [...sorted.keys()]
          expect(keys.at(-1)).toBe(id)
          const key = `keys.${sort}`
          expect(indexes).toContain(`state,${key},${id}`)
          expect(JSON.stringify(filter)).toContain(`"${key}"`)
          expect(keys.filter((name) => ![key, id].includes(name))).toEqual([])
        }
      }
    }
  })

  test('a page by number skips entries of the index, then begins at a position', async () => {
    const { catalog, asked } = await open()
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

    expect(await page(7)).toEqual([
      { skip: 29, limit: 1 },
      // The rest of the skills with the value of the position, and those beyond it.
      { skip: 0, limit: 6 },
      { skip: 0, limit: 6 },
    ])
    const [skipping] = asked
    // MongoDB answers it from the index: state and stars are conditions or in it, and so is the id.
    expect(skipping?.['projection']).toEqual({ 'keys.stars': 1 })
    expect([...(skipping?.['sort'].keys() ?? [])]).toEqual(['keys.stars', '_id'])
    expect(await page(1)).toEqual([{ skip: 0, limit: 6 }])
  })

  test('a list with one skill of each repository is read in few queries with a limit', async () => {
    const { catalog, asked } = await open()
    await catalog.put('skills', [
      ...Array.from({ length: 300 }, (_, n) => aSkill({ owner: 'acme', repo: 'large', skill: `skill-${n}`, stars: 9 })),
      ...Array.from({ length: 30 }, () => aSkill({ stars: 1 })),
    ])
    const list = { filters: {}, sort: 'stars', order: 'desc', limit: 3, distinct: 'repository' } as const
    asked.length = 0

    const { skills, total } = await catalog.listSkills(list)

    expect({ total, others: skills.map(({ others }) => others) }).toEqual({ total: 31, others: [299, 0, 0] })
    // Each answer is whole: its cursor is closed, also where the rest of the list is not read.
    expect(
      asked.filter(({ filter, limit = 0, batchSize }) => filter.$and && (limit === 0 || batchSize < limit)),
    ).toEqual([])
    expect(asked.length).toBeLessThan(20)
  })

  test('a page by number of such a list looks for no other skills of the repositories before it', async () => {
    const { catalog, asked } = await open()
    await catalog.put(
      'skills',
      Array.from({ length: 90 }, (_, n) =>
        aSkill({ owner: 'acme', repo: `repo-${n % 30}`, skill: `skill-${n}`, stars: 90 - n }),
      ),
    )
    const list = { filters: {}, sort: 'stars', order: 'desc', limit: 3, distinct: 'repository' } as const
    await catalog.listSkills(list)
    asked.length = 0

    const { skills } = await catalog.listSkills({ ...list, offset: 24 })

    expect(skills.map((skill) => [skillOf(skill).repo, skill.others])).toEqual([
      ['repo-24', 2],
      ['repo-25', 2],
      ['repo-26', 2],
    ])
    expect(asked.filter(({ filter }) => filter.$or)).toHaveLength(1)
  })
})
