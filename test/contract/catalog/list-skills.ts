import { describe, expect, test } from '@jest/globals'
import type { SkillFilters } from '../../../shared/ports/filter-table.js'
import { publicSchemas, SkillSchema } from '../../../shared/records/schemas.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { aLock } from '../../support/a-lock.js'
import { anOrganization, aPrompt, aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** Every order of a list. */
const orders = (['updated', 'stars', 'created', 'name'] as const).flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => [sort, order] as const),
)

/** How a Catalog lists skills: orders, pages, filters and totals. */
export function listSkills({ catalog, list: pageOf, ids, walk }: CatalogUnderTest): void {
  describe('listSkills', () => {
    test('each order sorts by its value, skills without one last, ties by id', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'a', repo: 'none' }),
        aSkill({ owner: 'b', repo: 'five', stars: 5, name: 'Zebra', updatedAt: '2026-01-02T00:00:00.000Z' }),
        aSkill({ owner: 'a', repo: 'five', stars: 5, name: 'apple', updatedAt: '2026-01-01T00:00:00.000Z' }),
        aSkill({ owner: 'c', repo: 'nine', stars: 9, name: 'Mango', createdAt: '2025-01-01T00:00:00.000Z' }),
      ])

      expect(await ids({ sort: 'stars', order: 'desc' })).toEqual(['c/nine', 'a/five', 'b/five', 'a/none'])
      expect(await ids({ sort: 'stars', order: 'asc' })).toEqual(['b/five', 'a/five', 'c/nine', 'a/none'])
      expect(await ids({ sort: 'updated', order: 'desc' })).toEqual(['b/five', 'a/five', 'a/none', 'c/nine'])
      expect(await ids({ sort: 'created', order: 'asc' })).toEqual(['c/nine', 'b/five', 'a/none', 'a/five'])
      expect(await ids({ sort: 'name', order: 'asc' })).toEqual(['a/five', 'c/nine', 'a/none', 'b/five'])
      expect(await ids({ sort: 'name', order: 'desc' })).toEqual(['b/five', 'a/none', 'c/nine', 'a/five'])
    })

    // Values that may be missing in both directions, and texts.
    test.each([
      ['stars', 'desc'],
      ['updated', 'asc'],
      ['name', 'asc'],
    ] as const)(
      'walking by %s %s yields each skill once while others are added, changed and removed',
      async (sort, order) => {
        const made = (n: number) => ({
          stars: n % 5 === 4 ? null : n % 3,
          name: `name ${n % 3}`,
          createdAt: n % 5 === 4 ? null : `2026-01-0${1 + (n % 3)}T00:00:00.000Z`,
          updatedAt: n % 5 === 4 ? null : `2026-02-0${1 + (n % 3)}T00:00:00.000Z`,
        })
        const staying = Array.from({ length: 20 }, (_, n) => aSkill(made(n)))
        const restless = Array.from({ length: 12 }, (_, n) => aSkill({ owner: 'restless', ...made(n) }))
        await catalog().put('skills', [...staying, ...restless])

        let page = 0
        const seen = await walk({ sort, order, limit: 5 }, async () => {
          page += 1
          await catalog().put('skills', [
            ...[0, 1, 2, 4].map((n) => aSkill({ owner: 'newcomer', ...made(n) })),
            ...restless.slice(0, 8).map((skill, n) => ({ ...skill, ...made(n + page) })),
          ])
          await catalog().remove(
            'skills',
            restless.slice(8, 8 + page).map(({ id }) => id),
          )
        })

        const seenOfThese = seen.filter((id) => id.startsWith('acme/'))
        expect(seenOfThese.sort()).toEqual(staying.map(({ id }) => id).sort())
      },
    )

    test('pages by cursor, and by number in any order, are those of the list, in each of its orders', async () => {
      const made = Array.from({ length: 40 }, (_, n) =>
        aSkill({
          stars: n % 4 === 0 ? null : n % 3,
          updatedAt: n % 4 === 1 ? null : `2026-01-0${1 + (n % 3)}T00:00:00.000Z`,
          createdAt: n % 4 === 2 ? null : `2026-02-0${1 + (n % 3)}T00:00:00.000Z`,
          name: `name ${n % 3}`,
          topics: n % 2 === 0 ? ['even', 'pdf'] : ['odd'],
          license: n % 5 === 0 ? 'MIT' : null,
          archived: n % 7 === 0,
        }),
      )
      await catalog().put('skills', made)
      const oneFilter: SkillFilters = { topics: ['even'] }
      const topicsAndLicense = { topics: ['even', 'pdf'], license: 'mit' }
      const filtered: SkillFilters[] = [{}, oneFilter, topicsAndLicense, { minStars: 1, archived: false }]
      const isListed =
        ({ topics = [], license, minStars = 0, archived }: SkillFilters) =>
        (skill: StoredSkill) =>
          topics.every((topic) => skill.topics.includes(topic)) &&
          (license === undefined || skill.license === 'MIT') &&
          (minStars === 0 || (skill.stars ?? 0) >= minStars) &&
          (archived === undefined || skill.archived === archived)

      for (const list of orders.flatMap(([sort, order]) => filtered.map((filters) => ({ sort, order, filters })))) {
        const whole = await ids({ ...list, limit: 100 })
        const matching = made.filter(isListed(list.filters))
        expect([list, whole.toSorted()]).toEqual([list, matching.map(({ id }) => id).toSorted()])
        expect([list, await walk({ ...list, limit: list.filters === oneFilter ? 1 : 7 })]).toEqual([list, whole])
        for (const offset of [15, 5, 39, 20, 10, 0, 25, 15, 30, 45, 3]) {
          const page = whole.slice(offset, offset + 5)
          expect([list, offset, await ids({ ...list, limit: 5, offset })]).toEqual([list, offset, page])
        }
        const { next } = await pageOf({ ...list, limit: 2 })
        for (const offset of [1, 8, 20, 30, 45]) {
          const found = await ids({ ...list, limit: 5, offset, ...(next && { after: next }) })
          expect([list, offset, found]).toEqual([list, offset, whole.slice(offset + 2, offset + 7)])
        }
      }
    })

    test('pages by number follow every change', async () => {
      const [first, ...others] = Array.from({ length: 12 }, (_, n) => aSkill({ stars: 100 - n }))
      await catalog().put('skills', first === undefined ? [] : [first, ...others])
      const pages = async () => [
        ...(await ids({ sort: 'stars', limit: 5, offset: 0 })),
        ...(await ids({ sort: 'stars', limit: 5, offset: 5 })),
        ...(await ids({ sort: 'stars', limit: 5, offset: 10 })),
      ]
      const whole = () => ids({ sort: 'stars', limit: 100 })

      expect(await pages()).toEqual(await whole())
      await catalog().put('skills', [aSkill({ stars: 200 }), aSkill({ stars: 95 })])
      expect(await pages()).toEqual(await whole())
      await catalog().remove('skills', [first?.id ?? ''])
      expect(await pages()).toEqual(await whole())
      expect(await pages()).toHaveLength(13)
    })

    test('each change has another version of the lists, unless none is known', async () => {
      const versions = [await catalog().listVersion()]
      const changes = [
        () => catalog().put('skills', [aSkill({ owner: 'acme', repo: 'pdf', stars: 1 })]),
        () => catalog().put('skills', [aSkill({ owner: 'acme', repo: 'pdf', stars: 2 })]),
        () => catalog().writeHistories([{ id: 'acme/pdf', days: [], trend: 3 }], aLock()),
        () => catalog().remove('skills', ['acme/pdf']),
      ]
      for (const change of changes) {
        await change()
        versions.push(await catalog().listVersion())
        expect([versions.at(-1), null]).toContain(await catalog().listVersion())
      }

      expect(versions.every((version) => version === null) || new Set(versions).size === versions.length).toBe(true)
    })

    test('totals follow every change', async () => {
      const skill = aSkill({ topics: ['pdf'], license: 'MIT', stars: 1 })
      await catalog().put('skills', [skill, aSkill({ topics: ['pdf'], license: 'MIT', stars: 2 })])
      const total = async () => (await pageOf({ filters: { topics: ['pdf'], license: 'MIT', minStars: 1 } })).total

      expect(await total()).toBe(2)
      await catalog().put('skills', [{ ...skill, topics: ['csv'] }])
      expect(await total()).toBe(1)
      await catalog().put('skills', [{ ...skill, stars: 9 }])
      expect(await total()).toBe(2)
      await catalog().put('skills', [{ ...skill, state: 'hidden' }])
      expect(await total()).toBe(1)
    })

    test('a stored field outside the public shape never leaves', async () => {
      await catalog().put('skills', [
        { ...aSkill(), contactEmail: 'someone@private.example', crawlState: { tries: 3 } },
      ])
      await catalog().put('prompts', [{ ...aPrompt(), submitter: 'someone@private.example' }])
      await catalog().put('organizations', [{ ...anOrganization(), billing: 'someone@private.example' }])

      const [listed] = (await pageOf()).skills
      expect(Object.keys(listed ?? {})).toEqual(Object.keys(SkillSchema.shape))
      const [prompt] = (await catalog().exportRows('prompts', 10)).rows
      expect(Object.keys(prompt ?? {})).toEqual(Object.keys(publicSchemas.prompts.shape))
      const [organization] = (await catalog().exportRows('organizations', 10)).rows
      expect(Object.keys(organization ?? {})).toEqual(Object.keys(publicSchemas.organizations.shape))
      const [exported] = (await catalog().exportRows('skills', 10)).rows
      expect(Object.keys(exported ?? {})).toEqual(Object.keys(SkillSchema.shape))
    })
  })
}
