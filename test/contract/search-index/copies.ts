import { describe, expect, test } from '@jest/globals'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, skillOf } from '../../../shared/records/skill.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

const text = 'Reads invoices from many suppliers and books them at once.'

/** What a SearchIndex does with skills whose text repeats that of another. */
export function copies({ publish, publishVectors, search, found }: IndexUnderTest): void {
  describe('copies', () => {
    const hitsOf = async (words: string, query: Partial<SearchQuery> = {}) =>
      (await search(words, { fold: true, ...query })).hits.map((hit) => [skillOf(hit).repo, hit.duplicates])

    test('are left out where the search folds them, and counted', async () => {
      await publish(
        { repo: 'original', description: text, stars: 9, license: 'MIT' },
        { repo: 'copy', description: text, stars: 5, license: 'MIT' },
        { owner: 'other', repo: 'copy', description: text, stars: 7, license: 'ISC' },
        { repo: 'another', description: 'Reads invoices.', stars: 8, license: 'MIT' },
        { repo: 'short', description: 'Reads invoices.', stars: 6, license: 'MIT' },
      )

      const page = await search('reads invoices', { fold: true, facets: ['license'] })
      expect(page.hits.map((hit) => [skillOf(hit).repo, hit.duplicates]).sort()).toEqual([
        ['another', 0],
        ['original', 2],
        ['short', 0],
      ])
      expect(page).toMatchObject({ total: 3, facets: { license: [{ value: 'MIT', count: 3 }] } })
      const all = await search('reads invoices')
      expect(all.total).toBe(5)
      expect(all.hits.map(({ duplicates }) => duplicates)).toEqual([0, 0, 0, 0, 0])
    })

    test('are compared among the filtered skills', async () => {
      await publish(
        { repo: 'original', description: text, stars: 9, license: 'MIT' },
        { repo: 'copy', description: text, stars: 5, license: 'ISC' },
      )

      expect(await hitsOf('invoices', { filters: { license: 'ISC' } })).toEqual([['copy', 0]])
    })

    test('are left out in other orders too: the first of them stays', async () => {
      await publish(
        { repo: 'original', description: text, stars: 9 },
        { repo: 'copy', description: text, stars: 5 },
        { repo: 'another', description: 'invoices', stars: 7 },
      )

      expect(await hitsOf('invoices', { sort: 'stars' })).toEqual([
        ['original', 1],
        ['another', 0],
      ])
      expect(await hitsOf('invoices', { sort: 'stars', order: 'asc' })).toEqual([
        ['copy', 1],
        ['another', 0],
      ])
      expect((await search('invoices', { sort: 'stars', fold: true })).total).toBe(2)
    })

    test('a skill whose owner/repo is the text is shown, in front of its copies', async () => {
      await publishVectors(
        [{ repo: 'original', description: text, topics: ['fork'], stars: 9 }, aVector(1)],
        [{ owner: 'fork', repo: 'original', description: text, stars: 1 }, aVector(1, 0.1)],
      )

      for (const query of [{}, { sort: 'stars' }, { meaning: { vector: aVector(1), alone: true } }] as const) {
        const { hits } = await search('fork/original', { ...query, fold: true })
        expect(hits.map((hit) => [skillOf(hit).owner, hit.duplicates])).toEqual([['fork', 1]])
      }
    })

    test('are left out among skills that only the meaning finds', async () => {
      await publishVectors(
        [{ repo: 'words', description: 'bookkeeping' }, null],
        [{ repo: 'original', description: text }, aVector(1)],
        [{ repo: 'copy', description: text }, aVector(1, 0.1)],
      )

      for (const alone of [false, true]) {
        const query = { meaning: { vector: aVector(1), alone } } as const
        expect(await hitsOf('bookkeeping', query)).toEqual([...(alone ? [] : [['words', 0]]), ['original', 1]])
        expect((await search('bookkeeping', { ...query, fold: true })).total).toBe(alone ? 1 : 2)
      }
    })

    test('take no places among the nearest from other skills', async () => {
      await publishVectors(
        ...Array.from({ length: 400 }, (_, n): [Partial<StoredSkill>, Vector] => [
          { repo: `copy-${n}`, description: text, license: n < 40 ? 'MIT' : 'ISC', stars: 400 - n },
          aVector(1),
        ]),
        [{ repo: 'other', description: 'bookkeeping', license: 'MIT' }, aVector(0.8, 0.6)],
      )

      for (const alone of [false, true]) {
        const query = { meaning: { vector: aVector(1), alone } } as const
        expect(await hitsOf('ledgers', query)).toEqual([
          [expect.stringMatching('copy-'), 399],
          ['other', 0],
        ])
        expect(await hitsOf('ledgers', { ...query, filters: { license: 'mit' } })).toEqual([
          [expect.stringMatching('copy-'), 39],
          ['other', 0],
        ])
      }
    })

    test('take no places among the skills with the words from others', async () => {
      const [groups, copiesOfEach] = [30, 50]
      await publish(
        ...Array.from({ length: groups * copiesOfEach }, (_, n) => ({
          repo: `skill-${n}`,
          description: `${text} Number ${Math.floor(n / copiesOfEach)}.`,
          stars: n,
        })),
      )

      for (const words of ['reads invoices', 'please read the many invoices of suppliers and book them tomorrow']) {
        const { hits } = await search(words, { fold: true, limit: groups })
        expect(new Set(hits.map((hit) => skillOf(hit).description)).size).toBe(groups)
      }
    })

    test('pages show each other skill once', async () => {
      const groups = 90
      await publish(
        ...Array.from({ length: 3 * groups }, (_, n) => ({
          repo: `skill-${n}`,
          description: `${text} Number ${n % groups}.`,
          topics: ['invoices'],
          stars: n,
        })),
      )

      const shown: string[] = []
      for (let offset = 0; offset < groups; offset += 20) {
        const page = await search('reads invoices', { fold: true, offset, limit: 20, facets: ['topics'] })
        expect(page).toMatchObject({ total: groups, facets: { topics: [{ value: 'invoices', count: groups }] } })
        expect(page.hits.map(({ duplicates }) => duplicates)).toEqual(page.hits.map(() => 2))
        shown.push(...page.hits.map((hit) => skillOf(hit).description ?? ''))
      }
      expect(new Set(shown).size).toBe(groups)
      expect(shown).toHaveLength(groups)
      expect(await found('reads invoices', { fold: true, offset: groups })).toEqual([])
    })
  })
}
