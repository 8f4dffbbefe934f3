import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { catalogIn } from '../../shared/adapters/embedded/sqlite/catalog/catalog.js'
import { SqliteDatabase, type SqlValue } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import type { ListPosition } from '../../shared/ports/skill-reader.js'
import { aLock } from '../support/a-lock.js'
import { afterTest } from '../support/after-test.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A file that is closed with the test. */
function anEmptyCatalog(): SqliteDatabase {
  const db = new SqliteDatabase(join(temporaryFolder(), 'catalog.db'))
  afterTest(() => db.close())
  migrate(db)
  return db
}

/** How SQLite goes about what is read of the table of skills, a line for each step. */
async function stepsOf(db: SqliteDatabase, work: (catalog: Catalog) => Promise<unknown>): Promise<string[]> {
  const asked: [sql: string, values: SqlValue[]][] = []
  const noting = intercepted(db, (name, call) => (...args) => {
    // Every skill has a name, as SQLite knows: it plans a search for others, and never runs it.
    if (name === 'all' && /skills s\b(?!.*WHERE s.name_key IS NULL)/s.test(String(args[0]))) {
      asked.push(args as [string, SqlValue[]])
    }
    return call(...args)
  })
  await work(catalogIn(noting, temporaryFolder()))
  return asked.flatMap(([sql, values]) =>
    db.all(`EXPLAIN QUERY PLAN ${sql}`, values).map((row) => String(row['detail'])),
  )
}

test.each(
  (['updated', 'stars', 'created', 'name', 'trending'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => [sort, order] as const),
  ),
)('by %s %s any page begins with a seek, and nothing is sorted', async (sort, order) => {
  const db = anEmptyCatalog()
  const index = sort === 'trending' ? 'skills_by_(?:trend|stars)' : `skills_by_${sort}`
  const catalog = catalogIn(db, temporaryFolder())
  const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`
  await catalog.put(
    'skills',
    Array.from({ length: 60 }, (_, n) => {
      const known = { stars: n % 3, name: `name ${n % 3}`, updatedAt: at(n % 3), createdAt: at(n % 3) }
      return aSkill({ owner: 'a', repo: `r${n}`, ...(n % 6 === 0 ? {} : known) })
    }),
  )
  await catalog.writeHistories(
    Array.from({ length: 20 }, (_, n) => ({ id: `a/r${n}`, days: [], trend: n % 4 })),
    aLock(),
  )
  const list = { filters: {}, sort, order, limit: 7 }

  let position: ListPosition | null = (await catalog.listSkills(list)).next
  let pages = 0
  while (position !== null) {
    const after = position
    const steps = await stepsOf(db, async (noting) => {
      position = (await noting.listSkills({ ...list, after })).next
    })
    pages += 1
    expect(steps.length).toBeGreaterThan(0)
    for (const step of steps) {
      expect(step).toMatch(new RegExp(`^SEARCH s USING INDEX ${index} `))
    }
  }
  expect(pages).toBe(8)
  for (const step of await stepsOf(db, (noting) => noting.listSkills({ ...list, offset: 50 }))) {
    expect(step).toMatch(new RegExp(`^(SEARCH|SCAN) s USING INDEX ${index}\\b`))
  }
})

test('selective filters use their own index, others the order of the list', async () => {
  const db = anEmptyCatalog()
  const catalog = catalogIn(db, temporaryFolder())
  const topics = (n: number) => (n < 2 ? ['a', 'b'] : n % 2 ? ['a', 'common'] : ['b', 'common'])
  await catalog.put(
    'skills',
    Array.from({ length: 10_200 }, (_, n) => aSkill({ topics: topics(n), stars: n < 2 ? 99 : 1 })),
  )
  const readBy = async (filters: SkillFilters) => {
    const list = { filters, sort: 'name', order: 'asc', limit: 20 } as const
    const { skills } = await catalog.listSkills(list)
    const steps = await stepsOf(db, (noting) => noting.listSkills(list))
    // Rows that were sorted are found again by their numbers.
    const [step = ''] = steps.filter((each) => !/^SEARCH s USING INTEGER|^LIST/.test(each))
    return { found: skills.length, by: /INDEX (\w+)|PRIMARY KEY/.exec(step)?.[1] ?? step }
  }

  expect(await readBy({ minStars: 99 })).toEqual({ found: 2, by: 'skills_by_stars' })
  expect(await readBy({ minStars: 1 })).toEqual({ found: 20, by: 'skills_by_name' })
  expect(await readBy({ topics: ['a', 'b'] })).toEqual({ found: 2, by: expect.stringContaining('SEARCH d') })
  expect(await readBy({ topics: ['a', 'common'] })).toEqual({ found: 20, by: 'skills_by_name' })
})
