import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { skillOf } from '../../shared/records/skill.js'
import { indexUnderTest } from '../contract/search-index/index-under-test.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import { storingRecords } from '../support/stored-records.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let db: SqliteDatabase
let index: SqliteSearchIndex
let folder: string
const { publish, search } = indexUnderTest(() => storingRecords(folder, index))

beforeEach(() => {
  folder = temporaryFolder()
  db = new SqliteDatabase(join(folder, 'catalog.db'))
  migrate(db)
  index = new SqliteSearchIndex(db)
})
afterEach(async () => {
  await index.close()
  db.close()
})

/** The live index's file. */
const filePath = () => join(folder, String(db.get(`SELECT file FROM search_indexes WHERE role = 'live'`)?.['file']))
const openFile = () => new SqliteDatabase(filePath())

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

describe('a catalog that is larger than the range which is read first', () => {
  const skills = Array.from({ length: 400 }, (_, n) => ({
    name: n % 2 === 0 ? 'kumquat' : 'kumquats and figs',
    description: n % 40 === 3 ? 'rhubarb' : 'celery',
    stars: n,
  }))
  const large = () => new SqliteSearchIndex(db, { readFirst: [100, 200] })
  const pagesOf = async (searched: SqliteSearchIndex, text: string) => {
    const offsets = Array.from({ length: 20 }, (_, page) => page * 20)
    const pages = await Promise.all(offsets.map((offset) => searched.search(aQuery(text, { offset }))))
    return pages.flatMap(({ hits }) => hits.map((hit) => skillOf(hit).id))
  }

  test('the count stops when a page is full, and says so', async () => {
    await publish(...skills)

    expect(await search('celery')).toMatchObject({ total: 390, totalIsLowerBound: false })
    expect(await large().search(aQuery('celery'))).toMatchObject({ total: 98, totalIsLowerBound: true })
  })

  test.each(['celery', 'kumquat', 'kumquat cel', 'kum'])('pages of “%s” contain each skill once', async (text) => {
    await publish(...skills)

    const found = await pagesOf(large(), text)

    expect(new Set(found).size).toBe(found.length)
    expect([...found].sort()).toEqual([...(await pagesOf(index, text))].sort())
  })

  test('matches that are rare are found everywhere', async () => {
    await publish(...skills)

    expect(await large().search(aQuery('rhubarb'))).toMatchObject({ total: 10, totalIsLowerBound: false })
  })

  test('facets count all matches', async () => {
    await publish(...skills.map((skill) => ({ ...skill, license: 'MIT' })))

    const { facets } = await large().search(aQuery('celery', { facets: ['license'] }))
    expect(facets).toEqual({ license: [{ value: 'MIT', count: 390 }] })
  })
})

test('of the words with a beginning that too many documents have, the most frequent are searched', async () => {
  await publish(
    ...Array.from({ length: 30 }, (_, n) => ({ description: `plumb${String.fromCharCode(97 + (n % 26))}${n}x` })),
  )
  expect((await search('plum')).total).toBe(30)

  const file = openFile()
  file.run(`UPDATE terms SET documents = 1000 WHERE term LIKE 'plumb%'`)
  file.close()

  expect((await search('plum')).total).toBe(24)
})

test('an index with other settings is read until it has been built again', async () => {
  await publish({ name: 'pdf' })

  db.run(`UPDATE search_indexes SET settings = 'of another version'`)

  expect((await search('pdf')).total).toBe(1)
  expect(await index.status()).toEqual({ documents: 1, settings: 'of another version' })
})

test.each<[string, () => void]>([
  ['was deleted', () => rmSync(filePath())],
  [
    'has the tables of another version',
    () => {
      const file = openFile()
      file.exec('PRAGMA user_version = 99')
      file.close()
    },
  ],
])('an index file that %s is none, until it has been built again', async (_, change) => {
  await publish({ name: 'pdf' })
  await index.close()
  change()
  const beingBuilt = {
    status: 503,
    code: 'search_unavailable',
    message: 'The search index is being built. Try again in a moment.',
  }

  await expect(index.suggest('pdf', 10)).rejects.toMatchObject(beingBuilt)
  await expect(search('pdf')).rejects.toMatchObject(beingBuilt)
  expect(await index.status()).toEqual({ documents: 0, settings: null })

  await index.createNext()
  await index.swap()
  expect(await index.suggest('pdf', 10)).toEqual([])
  expect((await search('pdf')).hits).toEqual([])
})

test('only the files of the live index and of the next one are kept', async () => {
  const files = () => readdirSync(folder).filter((name) => name.startsWith('search-') && name.endsWith('.db'))
  expect(files()).toEqual(['search-1.db'])

  await index.createNext()
  await index.createNext()
  expect(files()).toEqual(['search-1.db', 'search-3.db'])

  await index.swap()
  await index.status()
  expect(readdirSync(folder).filter((name) => name.startsWith('search-1'))).toEqual([])
  expect(files()).toEqual(['search-3.db'])
})

test('an index that was built has the same lookups as one that was live from its first document on', async () => {
  const lookups = () => {
    const file = openFile()
    try {
      return {
        indexes: file.all(`SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' ORDER BY tbl_name, name`),
        spelling: file.all(`SELECT variant, t.term FROM spelling s JOIN terms t ON t.id = s.term ORDER BY 1, 2`),
        copies: file.all('SELECT rank, copy_key FROM copies'),
      }
    } finally {
      file.close()
    }
  }
  const description = 'Makes a kumquat jelly of all fruits that are left over'
  const copies = ['a', 'b', 'c'].map((repo) => aDocument({ repo, name: repo, description }))
  const single = aDocument({ repo: 'single', description: 'rhubarb' })
  const fill = async (target: 'live' | 'next') => {
    const stored = storingRecords(folder, index)
    await stored.apply({ publish: [...copies, single], remove: [] }, target, aLock())
    await stored.apply(
      { publish: [aDocument({ repo: 'single', description: 'celery' })], remove: ['acme/a'] },
      target,
      aLock(),
    )
  }
  await fill('live')
  const live = lookups()
  expect(live.indexes.map(({ name }) => name)).toEqual(expect.arrayContaining(['documents_by_id', 'terms_by_stem']))
  expect(live.spelling).toContainEqual({ variant: 'celey', term: 'celery' })
  expect(live.copies).toHaveLength(2)

  await index.createNext()
  await fill('next')
  await index.swap()

  expect(lookups()).toEqual(live)
})
