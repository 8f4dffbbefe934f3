import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { indexUnderTest } from '../contract/search-index/index-under-test.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('above 10,000 matches the count stops, and facets count the most starred', async () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'catalog.db'))
  try {
    migrate(db)
    const { publish, search } = indexUnderTest(() => index)
    const index = new SqliteSearchIndex(db)
    const many = Array.from({ length: 10_100 }, (_, n) => ({
      name: 'Common',
      stars: n < 200 ? 1 : 7,
      license: n < 200 ? 'MIT' : 'Apache-2.0',
      topics: ['everywhere'],
    }))
    await publish(...many)

    expect(await search('common', { limit: 1, facets: ['license', 'topics'] })).toMatchObject({
      total: 10_000,
      facets: {
        license: [
          { value: 'Apache-2.0', count: 9_900 },
          { value: 'MIT', count: 100 },
        ],
        topics: [{ value: 'everywhere', count: 10_000 }],
      },
    })
  } finally {
    db.close()
  }
})
