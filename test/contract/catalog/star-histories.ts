import { describe, expect, test } from '@jest/globals'
import type { ListPosition, ListSort } from '../../../shared/ports/skill-reader.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { StarDay } from '../../../shared/records/stats.js'
import { aLock } from '../../support/a-lock.js'
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
      await catalog().writeHistories([history('a/a', 5), history('a/b', null)], aLock())
      await catalog().writeHistories([{ id: 'a/a', days: [[20_009, 3]], trend: null }], aLock())
      await catalog().writeHistories([], aLock())

      const read = await catalog().readHistories(['a/b', 'a/a', 'a/unknown'])
      expect(read.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
        { id: 'a/a', days: [[20_009, 3]] },
        { id: 'a/b', days },
      ])
    })

    test('trending skills are listed by id, page by page', async () => {
      await put('c', 'a', 'b', 'd')
      await catalog().writeHistories([history('a/c', 1), history('a/a', 2), history('a/b', 3)], aLock())
      await catalog().writeHistories([history('a/b', null)], aLock())

      expect(await catalog().listTrending(null, 1)).toEqual(['a/a'])
      expect(await catalog().listTrending('a/a', 10)).toEqual(['a/c'])
    })

    test('the list by trend has the highest first, and skills without one as the list by stars has them', async () => {
      const stars = [null, 4, 9, 4, null, 7, 1]
      await catalog().put(
        'skills',
        stars.map((count, place) =>
          aSkill({ owner: 'a', repo: `r${place}`, stars: count, topics: place === 2 ? [] : ['t'] }),
        ),
      )
      for (const order of ['desc', 'asc'] as const) {
        const [all, early] = [await ids({ sort: 'stars', order }), { topics: ['t'] }]
        expect(await ids({ sort: 'trending', order })).toEqual(all)
        expect(await walk({ sort: 'trending', order, limit: 2 })).toEqual(all)
        expect(await ids({ sort: 'trending', order, filters: early })).toEqual(all.filter((id) => id !== 'a/r2'))
      }

      // 0: nothing was gained, see `trendOf`.
      const trends = [history('a/r1', 5), history('a/r0', 5), history('a/r5', 0), history('a/r6', 9)]
      await catalog().writeHistories(trends, aLock())
      const desc = ['a/r6', 'a/r0', 'a/r1', 'a/r2', 'a/r5', 'a/r3', 'a/r4']
      const asc = ['a/r1', 'a/r0', 'a/r6', 'a/r3', 'a/r5', 'a/r2', 'a/r4']
      const trendsBy = async (sort: ListSort) =>
        (await catalog().listSkills({ filters: {}, sort, order: 'desc', limit: 9 })).skills.map(({ trend }) => trend)
      expect(await trendsBy('trending')).toEqual([9, 5, 5, null, null, null, null])
      expect(await trendsBy('stars')).toEqual(Array(7).fill(null))
      for (const [order, whole] of [
        ['desc', desc],
        ['asc', asc],
      ] as const) {
        for (const limit of [1, 2, 3, 7]) {
          expect(await walk({ sort: 'trending', order, limit })).toEqual(whole)
        }
        for (const offset of whole.keys()) {
          expect(await ids({ sort: 'trending', order, limit: 2, offset })).toEqual(whole.slice(offset, offset + 2))
          const { next: after } = await catalog().listSkills({ filters: {}, sort: 'trending', order, limit: 1 })
          const found = await ids({ sort: 'trending', order, limit: 2, offset, ...(after && { after }) })
          expect(found).toEqual(whole.slice(offset + 1, offset + 3))
        }
        const filters = { topics: ['t'] }
        expect(await walk({ sort: 'trending', order, filters, limit: 2 })).toEqual(whole.filter((id) => id !== 'a/r2'))
      }
      expect(await catalog().listTrending(null, 9)).toEqual(['a/r0', 'a/r1', 'a/r5', 'a/r6'])
    })

    test.each([0, 100])(
      'when trends have moved, pages by number are those of the new order (%d more)',
      async (more) => {
        const repos = Array.from({ length: 12 + more }, (_, place) => `r${String(place).padStart(3, '0')}`)
        await put(...repos)
        const pages = async () => {
          const found: string[] = []
          for (let offset = 0; offset < repos.length; offset = found.length) {
            found.push(...(await ids({ sort: 'trending', limit: offset < 12 ? 3 : 25, offset })))
            expect(found.length).toBeGreaterThan(offset)
          }
          return found
        }
        const moves: ((place: number) => number | null)[] = [
          (place) => place + 1,
          (place) => (place % 2 === 0 ? null : 500 - place),
          () => null,
          (place) => (place < 4 ? 7 : null),
        ]
        for (const trendOf of moves) {
          await catalog().writeHistories(
            repos.map((repo, place) => history(`a/${repo}`, trendOf(place))),
            aLock(),
          )
          const whole = [...repos.keys()]
            .sort((one, other) => (trendOf(other) ?? 0) - (trendOf(one) ?? 0) || one - other)
            .map((place) => `a/${repos[place]}`)
          expect(await pages()).toEqual(whole)
          expect(await pages()).toEqual(whole)
        }
      },
    )

    test('a walk by cursor returns each skill whose trend stays exactly once, when others move', async () => {
      const repos = Array.from({ length: 20 }, (_, place) => `r${place}`)
      await put(...repos)
      await catalog().writeHistories(
        repos.slice(0, 10).map((repo, place) => history(`a/${repo}`, place + 1)),
        aLock(),
      )
      const list = { filters: {}, sort: 'trending', order: 'desc', limit: 3 } as const
      const seen: string[] = []
      for (let after: ListPosition | null | undefined; after !== null; ) {
        const { skills, next } = await catalog().listSkills({ ...list, ...(after && { after }) })
        seen.push(...skills.map((skill) => skillOf(skill).id))
        after = next
        const moved = seen.length % 2 === 0 ? ['r3', 'r15'] : ['r8', 'r12']
        await catalog().writeHistories(
          moved.map((repo) => history(`a/${repo}`, seen.length % 4 === 0 ? null : 40 - seen.length)),
          aLock(),
        )
      }
      const staying = repos.filter((repo) => !['r3', 'r15', 'r8', 'r12'].includes(repo)).map((repo) => `a/${repo}`)
      expect(seen.filter((id) => staying.includes(id)).sort()).toEqual(staying.toSorted())
    })

    test('a change of a skill keeps its history and its trend', async () => {
      await put('a', 'b')
      await catalog().writeHistories([history('a/b', 5)], aLock())
      await catalog().put('skills', [aSkill({ owner: 'a', repo: 'b', description: 'changed', stars: 8 })])

      expect(await ids({ sort: 'trending' })).toEqual(['a/b', 'a/a'])
      expect(await catalog().readHistories(['a/b'])).toHaveLength(1)
    })
  })
}
