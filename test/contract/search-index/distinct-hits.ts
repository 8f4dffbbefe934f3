import { describe, expect, test } from '@jest/globals'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { repositoryId, skillOf } from '../../../shared/records/skill.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

const text = 'Reads invoices from many suppliers and books them at once.'

/** How a SearchIndex finds one skill of each repository. */
export function distinctHits({ publish, publishVectors, search }: IndexUnderTest): void {
  describe('distinct by repository', () => {
    const hitsOf = async (words: string, query: Partial<SearchQuery> = {}) => {
      const page = await search(words, query)
      return { ...page, ids: page.hits.map((hit) => skillOf(hit).id), others: page.hits.map(({ others }) => others) }
    }

    test('finds the best hit of each repository, and counts the others, on every page', async () => {
      await publish(
        ...[1, 2, 4, 9, 1, 3].flatMap((size, at) =>
          Array.from({ length: size }, (_, n) => ({
            repo: `repo-${at}`,
            skill: n === 0 ? null : `skill-${n}`,
            name: n % 3 === 1 ? 'invoices' : `invoices number ${n}`,
            description: n % 2 === 0 ? 'Reads invoices.' : 'Writes words about invoices.',
            stars: at % 3,
            updatedAt: `2026-01-0${1 + ((at + n) % 7)}T00:00:00.000Z`,
            license: n % 2 === 0 ? 'MIT' : 'ISC',
          })),
        ),
      )

      for (const query of [
        {},
        { filters: { license: 'MIT' } },
        { sort: 'stars' },
        { sort: 'updated', order: 'asc' },
        { fold: true },
      ] as const) {
        const whole = await hitsOf('invoices', { ...query, limit: 100 })
        const sizes = new Map<string, number>()
        const expected = whole.ids.filter((id) => {
          const before = sizes.get(repositoryId(id)) ?? 0
          sizes.set(repositoryId(id), before + 1)
          return before === 0
        })
        const found = await hitsOf('invoices', { ...query, limit: 100, distinct: 'repository', facets: ['license'] })

        expect(whole.others.every((count) => count === null)).toBe(true)
        expect(found.ids).toEqual(expected)
        expect(found.others).toEqual(expected.map((id) => (sizes.get(repositoryId(id)) ?? 0) - 1))
        expect(found).toMatchObject({ total: expected.length, totalIsLowerBound: false })
        expect(found.facets.license?.reduce((sum, { count }) => sum + count, 0)).toBe(expected.length)
        const paged = await Promise.all(
          [0, 2, 4].map((offset) => hitsOf('invoices', { ...query, limit: 2, offset, distinct: 'repository' })),
        )
        expect(paged.flatMap(({ ids }) => ids)).toEqual(expected)
      }
    })

    test('applies to what only the meaning finds', async () => {
      await publishVectors(
        [{ repo: 'one', skill: 'a', description: 'Cats.' }, aVector(1)],
        [{ repo: 'one', skill: 'b', description: 'Dogs.' }, aVector(1, 0.1)],
        [{ repo: 'two', description: text }, aVector(1, 0.2)],
      )

      for (const alone of [true, false]) {
        const meaning = { vector: aVector(1), alone } as const
        const found = await hitsOf('animals', { meaning, distinct: 'repository' })
        expect([found.ids, found.others, found.total]).toEqual([['acme/one@a', 'acme/two'], [1, 0], 2])
      }
    })
  })
}
