import { describe, expect, test } from '@jest/globals'
import type { ListSort } from '../../../shared/ports/skill-reader.js'
import type { StarDay } from '../../../shared/records/star-history.js'
import { aFence } from '../../support/a-fence.js'
import { aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every StarHistories, and the list that is sorted by trends. */
export function starHistories({ catalog, ids, walk }: CatalogUnderTest): void {
  const days: StarDay[] = [
    [20_000, 1],
    [20_004, 7],
  ]
  const history = (id: string, trend: number | null) => ({ id, days, trend })
  const put = (...repos: string[]) =>
    catalog().put(
      'skills',
      repos.map((repo) => aSkill({ owner: 'a', repo, topics: repo < 'c' ? ['early'] : [] })),
    )

  describe('star histories', () => {
    test('are stored, replaced, and read by id', async () => {
      await put('a', 'b')
      await catalog().writeHistories([history('a/a', 5), history('a/b', null)], aFence())
      await catalog().writeHistories([{ id: 'a/a', days: [[20_009, 3]], trend: null }], aFence())
      await catalog().writeHistories([], aFence())

      const read = await catalog().readHistories(['a/b', 'a/a', 'a/unknown'])
      expect(read.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
        { id: 'a/a', days: [[20_009, 3]] },
        { id: 'a/b', days },
      ])
    })

    test('trending skills are listed by id, page by page', async () => {
      await put('c', 'a', 'b', 'd')
      await catalog().writeHistories([history('a/c', 1), history('a/a', 2), history('a/b', 3)], aFence())
      await catalog().writeHistories([history('a/b', null)], aFence())

      expect(await catalog().listTrending(null, 1)).toEqual(['a/a'])
      expect(await catalog().listTrending('a/a', 10)).toEqual(['a/c'])
    })

    test('the list by trend has the highest first, skills without one last', async () => {
      await put('a', 'b', 'c', 'd', 'e')
      await catalog().writeHistories([history('a/b', 5), history('a/c', 9), history('a/e', 5)], aFence())

      const whole = ['a/c', 'a/b', 'a/e', 'a/a', 'a/d']
      const trends = async (sort: ListSort) =>
        (await catalog().listSkills({ filters: {}, sort, order: 'desc', limit: 9 })).skills.map(({ trend }) => trend)
      expect(await trends('trending')).toEqual([9, 5, 5, null, null])
      expect(await trends('stars')).toEqual(Array(5).fill(null))
      expect(await ids({ sort: 'trending' })).toEqual(whole)
      expect(await ids({ sort: 'trending', order: 'asc' })).toEqual(['a/e', 'a/b', 'a/c', 'a/d', 'a/a'])
      expect(await ids({ sort: 'trending', filters: { topics: ['early'] } })).toEqual(['a/b', 'a/a'])
      for (const limit of [1, 2, 3]) {
        expect(await walk({ sort: 'trending', limit })).toEqual(whole)
      }
      expect(await ids({ sort: 'trending', limit: 2, offset: 1 })).toEqual(whole.slice(1, 3))
      expect(await ids({ sort: 'trending', limit: 2, offset: 4 })).toEqual(whole.slice(4))
    })

    test('a change of a skill keeps its history and its trend', async () => {
      await put('a', 'b')
      await catalog().writeHistories([history('a/b', 5)], aFence())
      await catalog().put('skills', [aSkill({ owner: 'a', repo: 'b', description: 'changed', stars: 8 })])

      expect(await ids({ sort: 'trending' })).toEqual(['a/b', 'a/a'])
      expect(await catalog().readHistories(['a/b'])).toHaveLength(1)
    })

    test('a removed skill is not listed', async () => {
      await put('a', 'b')
      await catalog().writeHistories([history('a/b', 5)], aFence())
      await catalog().remove('skills', ['a/b'])

      expect(await ids({ sort: 'trending' })).toEqual(['a/a'])
    })
  })
}
