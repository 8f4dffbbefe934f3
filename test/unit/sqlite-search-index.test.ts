import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { indexUnderTest } from '../contract/search-index/index-under-test.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let db: SqliteDatabase
let index: SqliteSearchIndex
const { publish, search } = indexUnderTest(() => index)

beforeEach(() => {
  db = new SqliteDatabase(join(temporaryFolder(), 'catalog.db'))
  migrate(db)
  index = new SqliteSearchIndex(db)
})
afterEach(() => db.close())

test('above 1,000 matches the count stops, and facets count the most starred', async () => {
  await publish(
    ...Array.from({ length: 1_100 }, (_, n) => ({
      description: 'common',
      stars: n < 200 ? 1 : 7,
      license: n < 200 ? 'MIT' : 'Apache-2.0',
    })),
  )

  expect(await search('common', { limit: 1, facets: ['license'] })).toMatchObject({
    total: 1_000,
    totalIsLowerBound: true,
    facets: {
      license: [
        { value: 'Apache-2.0', count: 900 },
        { value: 'MIT', count: 100 },
      ],
    },
  })
})

test('an index of an earlier version is read only if it has the tables', async () => {
  await publish({ name: 'pdf' })
  db.run(`UPDATE index_slots SET settings = 'of another version'`)
  expect((await search('pdf')).total).toBe(1)
  db.exec('DROP TABLE texts_a')
  const beingBuilt = {
    status: 503,
    code: 'search_unavailable',
    message: 'The search index is being built. Try again in a moment.',
  }

  await expect(index.suggest('pdf', 10)).rejects.toMatchObject(beingBuilt)
  await expect(search('pdf')).rejects.toMatchObject(beingBuilt)

  await index.createNext()
  await index.swap()
  expect(await index.suggest('pdf', 10)).toEqual([])
  expect((await search('pdf')).hits).toEqual([])
})
