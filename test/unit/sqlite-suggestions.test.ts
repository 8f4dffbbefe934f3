import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('an index of another version is searched, but has no suggestions until it is built again', async () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'catalog.db'))
  try {
    migrate(db)
    const index = new SqliteSearchIndex(db)
    db.run(`UPDATE index_slots SET settings = 'of another version'`)
    db.exec('DROP TABLE names_a')

    await expect(index.suggest('pdf', 10)).rejects.toMatchObject({
      status: 503,
      code: 'search_unavailable',
      message: 'The search index is being built. Try again in a moment.',
    })

    await index.createNext()
    await index.swap()
    expect(await index.suggest('pdf', 10)).toEqual([])
  } finally {
    db.close()
  }
})
