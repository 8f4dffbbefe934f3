import { describe, expect, test } from '@jest/globals'
import { anOrganization, aPrompt, aSkill } from '../../support/factories.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

/** The contract of every DatasetReader: the scan, statistics, and the rows of exports. */
export function datasetReader({ catalog }: CatalogUnderTest): void {
  describe('dataset reader', () => {
    test('a scan returns published skills only, by id', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'b', repo: 'b' }),
        aSkill({ owner: 'a', repo: 'a' }),
        aSkill({ owner: 'c', repo: 'c', state: 'hidden' }),
        aSkill({ owner: 'd', repo: 'd' }),
      ])

      expect((await catalog().scanSkills(null, 2)).map((each) => each.id)).toEqual(['a/a', 'b/b'])
      expect((await catalog().scanSkills('b/b', 2)).map((each) => each.id)).toEqual(['d/d'])
      expect(await catalog().scanSkills('d/d', 2)).toEqual([])
    })

    test('a scan for the index returns each published skill once, for any stars and any size of a page', async () => {
      const stars = [5, null, 0, 5, 7, null, 5, 0]
      await catalog().put('skills', [
        ...stars.map((each, place) => aSkill({ owner: 'a', repo: `r${place}`, stars: each })),
        aSkill({ owner: 'a', repo: 'hidden', stars: 6, state: 'hidden' }),
      ])
      const all = stars.map((_, place) => `a/r${place}`)

      for (const limit of [1, 3, 8, 20]) {
        const found: string[] = []
        for (let page = await catalog().scanForIndex(null, limit); page.length > 0; ) {
          expect(page.length).toBeLessThanOrEqual(limit)
          found.push(...page.map(({ id }) => id))
          page = await catalog().scanForIndex(page.at(-1) ?? null, limit)
        }
        expect(found.toSorted()).toEqual(all)
      }
    })

    test('organizations are the owners of published skills, enriched by what is stored', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'Acme', topics: ['pdf', 'csv'], stars: 5 }),
        aSkill({ owner: 'acme', topics: ['pdf'], stars: null }),
        aSkill({ owner: 'solo', stars: 100 }),
        aSkill({ owner: 'none', stars: null }),
        aSkill({ owner: 'zero', stars: 0 }),
        aSkill({ owner: 'ghost', state: 'hidden' }),
      ])
      await catalog().put('organizations', [
        anOrganization({ login: 'acme', name: 'Acme Corporation' }),
        anOrganization({ login: 'without-skills' }),
      ])

      const { total, rows } = await catalog().exportRows('organizations', 10)

      expect(total).toBe(4)
      // Stars are the sum of the known ones, and null where none is known.
      expect(rows).toMatchObject([
        { login: 'acme', name: 'Acme Corporation', skills: 2, stars: 5, topTopics: ['pdf', 'csv'] },
        { login: 'solo', name: null, skills: 1, stars: 100, topTopics: [] },
        { login: 'none', stars: null },
        { login: 'zero', stars: 0 },
      ])
    })

    test('statistics count published records', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'acme', topics: ['pdf', 'csv'], stars: 5, updatedAt: '2026-01-01T00:00:00.000Z' }),
        aSkill({ owner: 'solo', topics: ['pdf'], stars: 7, updatedAt: '2026-03-01T00:00:00.000Z' }),
      ])
      await catalog().put('prompts', [aPrompt(), aPrompt({ state: 'hidden' })])

      expect(await catalog().computeStats()).toEqual({
        totals: { skills: 2, repositories: 2, prompts: 1, organizations: 2, topics: 2, stars: 12 },
        topOrganizations: [
          { login: 'solo', name: null, skills: 1, stars: 7 },
          { login: 'acme', name: null, skills: 1, stars: 5 },
        ],
        topTopics: [
          { topic: 'pdf', skills: 2 },
          { topic: 'csv', skills: 1 },
        ],
        freshness: {
          newestSkillUpdatedAt: '2026-03-01T00:00:00.000Z',
          oldestSkillUpdatedAt: '2026-01-01T00:00:00.000Z',
        },
      })
    })

    test('the top lists hold the twenty largest, ties by name', async () => {
      const of = (n: number) => String(n).padStart(2, '0')
      await catalog().put('skills', [
        ...Array.from({ length: 24 }, (_, n) =>
          aSkill({ owner: `owner-${of(n)}`, topics: [`topic-${of(n)}`], stars: 1 }),
        ),
        aSkill({ owner: 'owner-23', topics: ['topic-23'] }),
      ])

      const { topOrganizations, topTopics } = await catalog().computeStats()

      const first20 = ['23', ...Array.from({ length: 19 }, (_, n) => of(n))]
      expect(topOrganizations.map(({ login }) => login)).toEqual(first20.map((n) => `owner-${n}`))
      expect(topTopics.map(({ topic }) => topic)).toEqual(first20.map((n) => `topic-${n}`))
      expect(topOrganizations[0]).toEqual({ login: 'owner-23', name: null, skills: 2, stars: 1 })
    })

    test('all organizations and topics are listed, the largest first, without those of hidden skills', async () => {
      const of = (n: number) => String(n).padStart(2, '0')
      await catalog().put('skills', [
        ...Array.from({ length: 24 }, (_, n) => aSkill({ owner: `Owner-${of(n)}`, topics: [`topic-${of(n)}`, 'all'] })),
        aSkill({ owner: 'owner-23' }),
        aSkill({ owner: 'hidden', topics: ['hidden'], state: 'hidden' }),
      ])

      const rest = (name: string, first: number) =>
        Array.from({ length: 23 + first }, (_, n) => ({ value: `${name}-${of(n)}`, skills: 1 }))
      expect(await catalog().largestValues('organizations')).toEqual([
        { value: 'owner-23', skills: 2 },
        ...rest('owner', 0),
      ])
      expect(await catalog().largestValues('topics')).toEqual([{ value: 'all', skills: 24 }, ...rest('topic', 1)])
    })

    test('export rows are cut at the limit, most stars first, then by id', async () => {
      await catalog().put('skills', [
        aSkill({ owner: 'a', repo: 'none' }),
        aSkill({ owner: 'b', repo: 'same', stars: 5 }),
        aSkill({ owner: 'a', repo: 'same', stars: 5 }),
        aSkill({ owner: 'z', repo: 'most', stars: 50 }),
      ])

      const { total, rows } = await catalog().exportRows('skills', 3)

      expect(total).toBe(4)
      expect(rows.map((row) => row.id)).toEqual(['z/most', 'a/same', 'b/same'])
      expect((await catalog().exportRows('skills', 10)).rows).toHaveLength(4)
    })

    test('only published records are exported; prompts by id, organizations by their skills, then stars, then login', async () => {
      await catalog().put('prompts', [
        ...['c', 'a', 'b'].map((id) => aPrompt({ id })),
        aPrompt({ state: 'hidden' }),
        aPrompt({ state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
      ])
      await catalog().put('skills', [
        aSkill({ owner: 'few', stars: 100 }),
        ...['many', 'many', 'even', 'even', 'also', 'also'].map((owner, n) => aSkill({ owner, stars: n < 2 ? 9 : 1 })),
        aSkill({ owner: 'few', state: 'hidden' }),
        aSkill({ owner: 'few', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
      ])
      await catalog().put('organizations', [anOrganization({ login: 'many', name: 'Secret', state: 'hidden' })])

      const prompts = await catalog().exportRows('prompts', 10)
      const organizations = await catalog().exportRows('organizations', 10)

      expect([prompts.total, prompts.rows.map(({ id }) => id)]).toEqual([3, ['a', 'b', 'c']])
      expect(organizations.rows).toMatchObject([
        { login: 'many', name: null, skills: 2 },
        { login: 'also', skills: 2 },
        { login: 'even', skills: 2 },
        { login: 'few', skills: 1 },
      ])
      expect(await catalog().exportRows('skills', 10)).toMatchObject({ total: 7, rows: { length: 7 } })
    })

    test('the rows of prompts end with the one whose content reaches the limit of characters', async () => {
      const ids = Array.from({ length: 120 }, (_, place) => `p${String(place).padStart(3, '0')}`)
      await catalog().put(
        'prompts',
        ids.map((id) => aPrompt({ id, content: 'ten chars.' })),
      )
      const exported = async (limit: number, maxCharacters?: number) => {
        const { total, rows } = await catalog().exportRows('prompts', limit, maxCharacters)
        return { total, ids: rows.map(({ id }) => id) }
      }

      expect(await exported(200, 610)).toEqual({ total: 120, ids: ids.slice(0, 61) })
      expect(await exported(200, 611)).toEqual({ total: 120, ids: ids.slice(0, 62) })
      expect(await exported(50, 610)).toEqual({ total: 120, ids: ids.slice(0, 50) })
      expect(await exported(200)).toEqual({ total: 120, ids })
    })
  })
}
