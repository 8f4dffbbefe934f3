import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { expectManyTotals, topicsOf } from './catalog/many-totals.js'
import { catalogContract } from './catalog.js'

// As services open it. Commands and jobs open the same without threads, see `openJobBench`.
catalogContract('sqlite in worker threads', async () => (await emptyInThreads()).catalog)

// `mongo-totals.test.ts` in `test/adapters` has the same for MongoDB, where that many records take long to write.
test('a total is exact without filters, with one, and where it is below 10,000', async () => {
  const { catalog } = await emptyInThreads()
  await catalog.put(
    'skills',
    Array.from({ length: 10_010 }, (_, n) => aSkill({ topics: topicsOf(n) })),
  )

  await expectManyTotals(catalog)
  const ofOne = await catalog.listSkills({ filters: { topics: ['a'] }, sort: 'stars', order: 'desc', limit: 1 })
  expect(ofOne).toMatchObject({ total: 10_010, totalIsLowerBound: false })
})

/** The end of the log stays: a file with an earlier one is taken for another file. */
const tablesQuery = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'change_log'`

let shared: { stores: Stores; folder: string } | undefined
afterAll(() => shared?.stores.close())

/**
 * A catalog in worker threads, without records: the same for all tests of a file, since threads take a second to start.
 * It ends with the file; `close` does nothing.
 */
async function emptyInThreads(): Promise<Stores> {
  if (shared === undefined) {
    const folder = temporaryFolder()
    shared = { folder, stores: await openEmbedded(folder, { threads: true, log: silentLog() }) }
  } else {
    await emptyTables(shared.folder)
  }
  const { stores } = shared
  const close = async () => undefined
  return { ...stores, catalog: { ...stores.catalog, close }, close }
}

/** Sets these tables to what they are in a new folder. */
async function emptyTables(folder: string): Promise<void> {
  const unused = temporaryFolder()
  await (await openEmbedded(unused, { threads: false, log: silentLog() })).close()
  const db = new SqliteDatabase(join(folder, 'catalog.db'))
  try {
    db.run('ATTACH ? AS unused', [join(unused, 'catalog.db')])
    db.write(() => {
      for (const { name } of db.all<{ name: string }>(tablesQuery)) {
        db.run(`DELETE FROM ${name}`)
        db.run(`INSERT INTO ${name} SELECT * FROM unused.${name}`)
      }
    })
  } finally {
    db.close()
  }
}
