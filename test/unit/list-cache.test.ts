import { expect, test } from '@jest/globals'
import { ListCache } from '../../services/query/request/list-cache.js'
import { SendableText } from '../../services/query/request/sendable-text.js'
import type { SkillListPage, SkillListQuery } from '../../shared/ports/skill-reader.js'

const byStars: SkillListQuery = { filters: {}, sort: 'stars', order: 'desc', limit: 20 }

const answerOf = ({ skills }: SkillListPage) => ({
  text: new SendableText(skills.map(({ record }) => record).join()),
  nextCursor: null,
})

/** A catalog of 1,000 skills whose version the test changes, or does not know; and a cache of its lists. */
function aCatalog(recordLength = 3) {
  const state: { version: string | null; nowMs: number; reads: SkillListQuery[]; totalIsLowerBound: boolean } = {
    version: '1',
    nowMs: 0,
    reads: [],
    totalIsLowerBound: false,
  }
  const listSkills = async (query: SkillListQuery): Promise<SkillListPage> => {
    state.reads.push(query)
    const from = (query.offset ?? 0) + Number(query.after?.id ?? 0)
    const to = Math.min(from + query.limit, query.filters.owner === undefined ? 1_000 : 0)
    return {
      skills: Array.from({ length: Math.max(0, to - from) }, () => ({
        record: 'x'.repeat(recordLength),
        trend: null,
        others: null,
      })),
      total: state.totalIsLowerBound ? 7 : 1_000,
      totalIsLowerBound: state.totalIsLowerBound,
      next: to >= 1_000 || to <= from ? null : { value: null, id: String(to) },
    }
  }
  const catalog = { listSkills, listVersion: async () => state.version }
  const cache = new ListCache(() => state.nowMs)
  const find = (query: Partial<SkillListQuery> = {}, fields?: string[]) =>
    cache.find(catalog, { query: { ...byStars, ...query }, fields }, answerOf)
  /** What is read of the catalog for a page by number: what is skipped, or after which skill it begins. */
  const readsOf = async (offset: number) => {
    state.reads.length = 0
    await find({ offset })
    return state.reads.map((read) => `${read.offset ?? 0} after ${read.after?.id ?? 'nothing'}`)
  }
  return { state, catalog, cache, find, readsOf }
}

test('an answer is made once for each version of the catalog, query and fields', async () => {
  const { state, find } = aCatalog()

  const first = await find()

  expect(await find()).toBe(first)
  for (const another of [find({ limit: 1 }), find({ sort: 'name' }), find({ filters: { license: 'mit' } })]) {
    expect(await another).not.toBe(first)
  }
  expect(await find({}, ['name'])).not.toBe(first)
  state.version = '2'
  expect(await find()).not.toBe(first)
  expect(state.reads).toHaveLength(6)
})

test('an answer is made again after 30 seconds, and where the version is not known', async () => {
  const { state, find } = aCatalog()
  const first = await find()
  state.nowMs = 29_999
  expect(await find()).toBe(first)
  state.nowMs = 30_000
  const second = await find()
  expect(second).not.toBe(first)

  state.version = null
  expect(await find()).not.toBe(second)
  expect(await find()).not.toBe(await find())
})

test('an answer that was read before a change is not kept for the catalog after it', async () => {
  const { state, catalog, cache } = aCatalog()
  let finish = () => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const slowCatalog = {
    ...catalog,
    listSkills: async (query: SkillListQuery) => {
      const page = await catalog.listSkills(query)
      await held
      return page
    },
  }
  const slow = cache.find(slowCatalog, { query: byStars, fields: undefined }, answerOf)
  await new Promise(setImmediate)
  state.version = '2'
  finish()

  expect(await cache.find(catalog, { query: byStars, fields: undefined }, answerOf)).not.toBe(await slow)
})

test('a page that fails is read again', async () => {
  const { catalog, cache, find } = aCatalog()
  const lost = { ...catalog, listSkills: () => Promise.reject(new Error('lost')) }

  await expect(cache.find(lost, { query: byStars, fields: undefined }, answerOf)).rejects.toThrow('lost')

  expect(await find()).toBe(await find())
})

test('answers take a limited space, empty ones too', async () => {
  const large = aCatalog(50 * 1_024)
  for (let page = 0; page < 10; page += 1) {
    await large.find({ sort: 'name', offset: page * 20 })
  }
  large.state.reads.length = 0
  await large.find({ sort: 'name', offset: 9 * 20 })
  expect(large.state.reads).toEqual([])
  await large.find({ sort: 'name', offset: 0 })
  expect(large.state.reads).toHaveLength(1)

  const empty = aCatalog()
  for (let each = 0; each < 5_000; each += 1) {
    await empty.find({ filters: { owner: `nobody-${each}` } })
  }
  empty.state.reads.length = 0
  await empty.find({ filters: { owner: 'nobody-4999' } })
  expect(empty.state.reads).toEqual([])
  await empty.find({ filters: { owner: 'nobody-0' } })
  expect(empty.state.reads).toHaveLength(1)
})

test('a page by number begins at the end of the page before it, and skips where none near it is kept', async () => {
  const { readsOf } = aCatalog()

  expect(await readsOf(400)).toEqual(['399 after nothing', '0 after 400'])
  expect(await readsOf(400)).toEqual([])
  for (let offset = 420; offset < 1_000; offset += 20) {
    expect(await readsOf(offset)).toEqual([`0 after ${offset}`])
  }
  expect(await readsOf(0)).toEqual(['0 after nothing'])
  expect(await readsOf(60)).toEqual(['40 after 20'])
  expect(await readsOf(40)).toEqual(['20 after 20'])
  expect(await readsOf(360)).toEqual(['280 after 80'])
  expect(await readsOf(1_000)).toEqual(['20 after 980'])
  expect(await readsOf(2_000)).toEqual(['1999 after nothing', '2000 after nothing'])
  expect(await readsOf(2_000)).toEqual([])
})

test('pages that are read at the same time begin near a kept one as well', async () => {
  const { state, find, readsOf } = aCatalog()
  await readsOf(400)
  state.reads.length = 0

  await Promise.all(Array.from({ length: 30 }, (_, n) => find({ filters: {}, offset: 420 + n * 20 })))

  expect(state.reads).toHaveLength(30)
  expect(state.reads.every(({ after }) => Number(after?.id) >= 420)).toBe(true)
})

test.each([['2'], [null]])('over changes a page begins there for 30 seconds (version %s)', async (version) => {
  const { state, readsOf } = aCatalog()
  await readsOf(400)

  state.version = version
  state.nowMs = 20_000
  expect(await readsOf(400)).toEqual(['0 after 400'])
  expect(await readsOf(420)).toEqual(['0 after 420'])
  expect(await readsOf(420)).toEqual(['0 after 420'])

  // Since the skills were skipped, not since the page was read.
  state.nowMs = 30_000
  expect(await readsOf(440)).toEqual(['439 after nothing', '0 after 440'])
})

test('without a change a page begins there for any time', async () => {
  const { state, readsOf } = aCatalog()
  await readsOf(400)

  state.nowMs = 3_600_000
  expect(await readsOf(400)).toEqual(['0 after 400'])
  expect(await readsOf(420)).toEqual(['0 after 420'])
})

test('a total that is not counted to its end is at least the end of the page', async () => {
  const { state, catalog, cache } = aCatalog()
  state.totalIsLowerBound = true
  const totals: number[] = []
  for (const offset of [0, 400, 980]) {
    await cache.find(catalog, { query: { ...byStars, offset }, fields: undefined }, (page) => {
      totals.push(page.total)
      return answerOf(page)
    })
  }
  expect(totals).toEqual([7, 421, 1_000])
})
