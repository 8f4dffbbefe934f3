import { describe, expect, test } from '@jest/globals'
import type { SkillListQuery } from '../../../shared/ports/skill-reader.js'
import { repositoryId } from '../../../shared/records/skill.js'
import { aLock } from '../../support/a-lock.js'
import { aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

const orders = (['updated', 'stars', 'created', 'name', 'trending'] as const).flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => [sort, order] as const),
)

/** Skills of repositories of 1 to 12, whose names begin with one another; every second repository has one of its own. */
const skills = [1, 2, 5, 12, 1, 3, 7, 1, 1, 4].flatMap((size, at) =>
  Array.from({ length: size }, (_, n) =>
    aSkill({
      owner: at % 2 === 0 ? 'acme' : 'acme-2',
      repo: at % 3 === 0 ? `repo-${at}` : `repo-${at}.js`,
      skill: n === 0 && at % 2 === 0 ? null : `skill-${n}`,
      name: `name ${(at * 7 + n * 5) % 6}${n === 3 ? '😀' : n === 4 ? '\uff21' : ''}`,
      // The skills of a repository share its stars, but for a few.
      stars: at % 4 === 3 ? null : n === 9 ? 50 : at,
      createdAt: n % 3 === 0 ? null : `2026-01-0${1 + ((at + n) % 4)}T00:00:00.000Z`,
      updatedAt: n % 4 === 1 ? null : `2026-02-0${1 + ((at + n * 3) % 5)}T00:00:00.000Z`,
      topics: n % 2 === 0 ? ['even', 'pdf'] : ['odd', 'pdf'],
      license: (at + n) % 3 === 0 ? 'MIT' : null,
      archived: n % 5 === 4,
    }),
  ),
)

const everyFilter: SkillListQuery['filters'][] = [
  {},
  { topics: ['even'] },
  { owner: 'acme-2', archived: false },
  { minStars: 2 },
  { updatedSince: '2026-02-03T00:00:00.000Z', topics: ['pdf'] },
]

/** Lists that are read one by one; the others three by three. */
const walkedByOne = everyFilter.filter(({ topics }) => topics?.includes('even'))

/** How a Catalog lists one skill of each repository. */
export function distinctLists({ catalog, list, ids, walk }: CatalogUnderTest): void {
  describe('listSkills, distinct by repository', () => {
    const fill = async () => {
      await catalog().put('skills', skills)
      const trends = skills.flatMap(({ id }, n) => (n % 3 === 0 ? [{ id, days: [], trend: 1 + (n % 4) }] : []))
      const lock = await catalog().lock('record-history')
      await catalog().writeHistories(trends, lock ?? aLock())
      await lock?.release()
    }

    test('is the list without the others of each repository, in every order', async () => {
      await fill()

      for (const [[sort, order], filters] of orders.flatMap((by) => everyFilter.map((each) => [by, each] as const))) {
        const whole = await ids({ sort, order, filters, limit: 100 })
        const firsts = [...new Map(whole.toReversed().map((id) => [repositoryId(id), id])).values()]
        const expected = whole.filter((id) => firsts.includes(id))
        const distinct = { sort, order, filters, distinct: 'repository' } as const
        const page = await list({ ...distinct, limit: 100 })

        expect([distinct, page.skills.map(({ id }) => id)]).toEqual([distinct, expected])
        expect(page).toMatchObject({ total: expected.length, totalIsLowerBound: false, next: null })
        expect([distinct, await walk({ ...distinct, limit: walkedByOne.includes(filters) ? 1 : 3 })]).toEqual([
          distinct,
          expected,
        ])
        for (const offset of [4, 0, 6, 4, expected.length, expected.length + 5]) {
          const found = await ids({ ...distinct, limit: 2, offset })
          expect([distinct, offset, found]).toEqual([distinct, offset, expected.slice(offset, offset + 2)])
        }
        const { next } = await list({ ...distinct, limit: 1 })
        if (next !== null) {
          const found = await ids({ ...distinct, limit: 2, offset: 2, after: next })
          expect([distinct, found]).toEqual([distinct, expected.slice(3, 5)])
        }
      }
    })

    test.each(orders.filter(([sort, order]) => (sort === 'name' || sort === 'created') === (order === 'asc')))(
      'a walk by %s %s has each repository that stays once, while others are written',
      async (sort, order) => {
        await fill()
        const distinct = { sort, order, limit: 2, distinct: 'repository' } as const
        const staying = await walk(distinct)
        const moving = (page: number) =>
          ['a', 'b'].map((skill) => aSkill({ repo: 'moves', skill, stars: page % 7, name: `name ${page % 6}` }))

        let page = 0
        const seen = await walk(distinct, async () => {
          page += 1
          await catalog().put('skills', moving(page))
        })

        expect(seen.filter((id) => repositoryId(id) !== 'acme/moves')).toEqual(staying)
      },
    )

    test('counts the others that match, and none in a list of every skill', async () => {
      await fill()
      const others = async (query: Partial<SkillListQuery>) => {
        const page = await catalog().listSkills({ filters: {}, sort: 'name', order: 'asc', limit: 100, ...query })
        return page.skills.map((skill) => [repositoryId(JSON.parse(skill.record).id), skill.others])
      }
      const sizes = (admits: (skill: (typeof skills)[number]) => boolean) => {
        const counts = new Map<string, number>()
        for (const { id } of skills.filter(admits)) {
          counts.set(repositoryId(id), (counts.get(repositoryId(id)) ?? 0) + 1)
        }
        return [...counts].map(([repository, count]) => [repository, count - 1]).sort()
      }

      expect((await others({ distinct: 'repository' })).sort()).toEqual(sizes(() => true))
      expect((await others({ distinct: 'repository', filters: { topics: ['even'] } })).sort()).toEqual(
        sizes(({ topics }) => topics.includes('even')),
      )
      expect((await others({})).every(([, count]) => count === null)).toBe(true)
    })

    test('totals follow every change, and the statistics count the same repositories', async () => {
      const three = ['a', 'b', 'c'].map((skill) => aSkill({ repo: 'many', skill, topics: ['pdf'] }))
      const own = aSkill({ repo: 'many', topics: ['csv'] })
      const totals = async () => {
        const { total } = await list({ distinct: 'repository', limit: 1 })
        expect((await catalog().computeStats()).totals.repositories).toBe(total)
        return [total, (await list({ distinct: 'repository', filters: { topics: ['pdf'] } })).total]
      }

      await catalog().put('skills', [...three, own, aSkill({ repo: 'many-2' }), aSkill({ repo: 'man' })])
      expect(await totals()).toEqual([3, 1])
      await catalog().put('skills', [{ ...own, state: 'hidden' }])
      expect(await totals()).toEqual([3, 1])
      await catalog().remove(
        'skills',
        three.map(({ id }) => id),
      )
      expect(await totals()).toEqual([2, 0])
      await catalog().put('skills', three.slice(0, 2))
      expect(await totals()).toEqual([3, 1])
      await catalog().put('skills', [...three, own])
      expect(await totals()).toEqual([3, 1])
    })
  })
}
