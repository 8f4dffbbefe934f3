import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import { aQuery, aSkill, documentOf } from '../support/factories.js'
import { storingRecords } from '../support/stored-records.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** So many that of the matches below some are sorted, and some are met while an index is read. */
const count = 8_000

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
const skills = Array.from({ length: count }, (_, n) =>
  aSkill({
    repo: `repo-${(n * 2_741) % count}`,
    name: `name ${(n * 37) % 4_001}`,
    description: `common ${n % 2 === 0 ? 'half' : ''} ${n % 50 === 0 ? 'rare' : ''}`,
    topics: n % 3 === 0 ? ['third'] : [],
    stars: n % 7 === 0 ? null : n % 100,
    createdAt: n % 11 === 0 ? null : day(n % 300),
    updatedAt: n % 6 === 0 ? null : day(n % 200),
  }),
)

let db: SqliteDatabase
let index: SqliteSearchIndex
beforeAll(async () => {
  const folder = temporaryFolder()
  db = new SqliteDatabase(join(folder, 'catalog.db'))
  migrate(db)
  index = new SqliteSearchIndex(db)
  await storingRecords(folder, index).apply({ publish: skills.map(documentOf), remove: [] }, 'live')
})
afterAll(async () => {
  await index.close()
  db.close()
})

const fieldOf = { stars: 'stars', created: 'createdAt', updated: 'updatedAt', name: 'name' } as const
type Sort = keyof typeof fieldOf

/** The ids of the skills with a word, as a list sorts them. */
function inOrder(word: string, { topics = [], updatedSince = '' }: SkillFilters, sort: Sort, order: 'asc' | 'desc') {
  const direction = order === 'asc' ? 1 : -1
  const ties = (order === 'asc') === (sort === 'name') ? 1 : -1
  return skills
    .filter(({ description, topics: own, updatedAt }) => {
      const isRecent = updatedSince === '' || (updatedAt !== null && updatedAt >= updatedSince)
      return description?.split(' ').includes(word) && topics.every((topic) => own.includes(topic)) && isRecent
    })
    .sort((a, b) => {
      const [left, right] = [a[fieldOf[sort]], b[fieldOf[sort]]]
      if (left === right) {
        return a.id < b.id ? -ties : ties
      }
      return left === null || (right !== null && left > right)
        ? left === null
          ? 1
          : direction
        : right === null
          ? -1
          : -direction
    })
    .map(({ id }) => id)
}

const filters: [string, SkillFilters][] = [
  ['all', {}],
  ['with a topic', { topics: ['third'] }],
  ['updated lately', { updatedSince: day(195) }],
  ['updated some time ago', { updatedSince: day(0) }],
  ['with a topic, updated some time ago', { topics: ['third'], updatedSince: day(0) }],
]

describe.each(filters)('skills that are found, %s', (_, narrowed) => {
  describe.each(['common', 'half', 'rare'])('by the word %s', (word) => {
    test.each(
      (['stars', 'created', 'updated', 'name'] as const).flatMap((sort) => [
        [sort, 'asc'] as const,
        [sort, 'desc'] as const,
      ]),
    )('have the order of a list by %s %s', async (sort, order) => {
      const page = await index.search(aQuery(word, { filters: narrowed, sort, order, limit: 1_000, fold: false }))

      const wanted = inOrder(word, narrowed, sort, order)
      expect(page.hits.map(({ record }) => JSON.parse(record).id)).toEqual(wanted.slice(0, 1_000))
      expect([page.total, page.totalIsLowerBound]).toEqual([Math.min(wanted.length, 1_000), wanted.length > 1_000])
    })
  })

  test('are all found by a word, of whichever fitness', async () => {
    const page = await index.search(aQuery('rare', { filters: narrowed, limit: 1_000, fold: false }))

    expect(page.hits.map(({ record }) => JSON.parse(record).id).toSorted()).toEqual(
      inOrder('rare', narrowed, 'stars', 'desc').toSorted(),
    )
  })
})
