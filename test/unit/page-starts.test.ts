import { expect, test } from '@jest/globals'
import { PageStarts } from '../../shared/adapters/lists/page-starts.js'
import type { ListPosition, SkillListQuery } from '../../shared/ports/skill-reader.js'

const aPage = (offset: number, given: Partial<SkillListQuery> = {}): SkillListQuery => ({
  filters: {},
  sort: 'stars',
  order: 'desc',
  limit: 20,
  offset,
  ...given,
})

const version = (changes: number | null, trends: string | null = null) => ({ changes, trends })

/** A list of 1,000 skills, and what was skipped in it. */
function aList() {
  const clock = { nowMs: 0 }
  const skipped: [from: string | null, count: number][] = []
  const at = (place: number): ListPosition => ({ value: null, id: String(place) })
  const skip = async (after: ListPosition | undefined, count: number) => {
    skipped.push([after?.id ?? null, count])
    // Of which it waited 9 for its turn.
    clock.nowMs += 19
    const place = Number(after?.id ?? 0) + count
    return { position: place > 1_000 ? null : at(place), costMs: 10 }
  }
  return { starts: new PageStarts(() => clock.nowMs), clock, skipped, skip, at }
}

test('skills are skipped once, from the nearest known position', async () => {
  const { starts, skipped, skip, at } = aList()
  const read = async (offset: number) => (await starts.find(aPage(offset), version(1), skip)).after

  expect(await read(0)).toBeUndefined()
  expect(await read(400)).toEqual(at(400))
  expect(await read(400)).toEqual(at(400))
  expect(await read(430)).toEqual(at(430))
  expect(await read(380)).toEqual(at(380))
  expect(skipped).toEqual([
    [null, 400],
    ['400', 30],
    [null, 380],
  ])
})

test('the end of a page is the beginning of the next', async () => {
  const { starts, skipped, skip, at } = aList()
  for (let offset = 0; offset < 200; offset += 20) {
    const start = await starts.find(aPage(offset), version(1), skip)
    expect(start.after).toEqual(offset === 0 ? undefined : at(offset))
    starts.keepEnd(aPage(offset), start, at(offset + 20))
  }
  expect(skipped).toEqual([])
})

test('beyond the end of a list nothing is searched again', async () => {
  const { starts, skipped, skip } = aList()

  expect((await starts.find(aPage(1_020), version(1), skip)).after).toBeNull()
  expect((await starts.find(aPage(1_020), version(1), skip)).after).toBeNull()
  expect((await starts.find(aPage(9_980), version(1), skip)).after).toBeNull()
  expect(skipped).toEqual([[null, 1_020]])
})

test.each<[string, Partial<SkillListQuery>]>([
  ['filters', { filters: { license: 'mit' } }],
  ['a sort', { sort: 'name' }],
  ['an order', { order: 'asc' }],
])('positions belong to %s', async (_, other) => {
  const { starts, skipped, skip } = aList()
  await starts.find(aPage(100), version(1), skip)
  await starts.find(aPage(100, other), version(1), skip)
  expect(skipped).toHaveLength(2)
})

test('a position is used until the next change, and then for a hundred times as long as it took to find', async () => {
  const { starts, clock, skipped, skip } = aList()
  await starts.find(aPage(100), version(1), skip)

  clock.nowMs = 3_600_000
  await starts.find(aPage(100), version(1), skip)
  expect(skipped).toHaveLength(1)

  await starts.find(aPage(100), version(2), skip)
  expect(skipped).toHaveLength(2)
  clock.nowMs += 900
  await starts.find(aPage(100), version(3), skip)
  expect(skipped).toHaveLength(2)
  clock.nowMs += 200
  await starts.find(aPage(100), version(3), skip)
  expect(skipped).toHaveLength(3)
})

test('where the version is not known, a position is used for five seconds, or until it is cleared', async () => {
  const { starts, clock, skipped, skip } = aList()
  await starts.find(aPage(100), version(null), skip)
  clock.nowMs = 4_900
  await starts.find(aPage(100), version(null), skip)
  expect(skipped).toHaveLength(1)
  clock.nowMs = 5_100
  await starts.find(aPage(100), version(null), skip)
  expect(skipped).toHaveLength(2)
  starts.clear()
  await starts.find(aPage(100), version(null), skip)
  expect(skipped).toHaveLength(3)
})

test('no position is used after trends have moved, however long it took to find', async () => {
  const { starts, skipped, skip } = aList()
  const byTrend = (offset: number) => aPage(offset, { sort: 'trending' })
  const start = await starts.find(byTrend(100), version(1, 'a'), skip)
  starts.keepEnd(byTrend(100), start, { value: 5, id: 'end' })
  await starts.find(byTrend(100), version(2, 'a'), skip)
  expect(skipped).toHaveLength(1)

  expect((await starts.find(byTrend(120), version(1, 'b'), skip)).after?.id).toBe('120')
  await starts.find(byTrend(100), version(null, 'b'), skip)
  expect(skipped.slice(1)).toEqual([
    [null, 120],
    [null, 100],
  ])
})

test('the number of lists and positions is bounded', async () => {
  const { starts, skipped, skip } = aList()
  for (let list = 0; list <= 50; list += 1) {
    await starts.find(aPage(100, { filters: { minStars: list } }), version(1), skip)
  }
  skipped.length = 0
  await starts.find(aPage(100, { filters: { minStars: 50 } }), version(1), skip)
  expect(skipped).toEqual([])
  await starts.find(aPage(100, { filters: { minStars: 0 } }), version(1), skip)
  expect(skipped).toEqual([[null, 100]])

  for (let offset = 500; offset > 0; offset -= 1) {
    await starts.find(aPage(offset), version(1), skip)
  }
  skipped.length = 0
  await starts.find(aPage(501), version(1), skip)
  await starts.find(aPage(500), version(1), skip)
  expect(skipped).toEqual([
    ['500', 1],
    ['499', 1],
  ])
})
