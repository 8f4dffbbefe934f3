import { describe, expect, test } from '@jest/globals'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The filters, facets and match positions of a SearchIndex. */
export function filtersFacetsAndHighlights({ publish, search }: IndexUnderTest): void {
  describe('filters, facets and highlights', () => {
    test('filters narrow hits and total', async () => {
      await publish(
        {
          owner: 'Acme',
          repo: 'a',
          name: 'pdf',
          topics: ['c#', 'memory optimization'],
          license: 'Apache-2.0',
          language: 'C++',
          stars: 10,
          updatedAt: '2026-02-01T00:00:00.000Z',
        },
        { owner: 'acme-labs', repo: 'b', name: 'pdf', topics: ['c'], license: 'Apache', archived: true, stars: 3 },
      )

      const hits = async (filters: SearchQuery['filters']) => {
        const page = await search('pdf', { filters })
        expect(page.total).toBe(page.hits.length)
        return page.hits.map((hit) => skillOf(hit).repo)
      }
      expect(await hits({ owner: 'acme' })).toEqual(['a'])
      expect(await hits({ topics: ['c#'] })).toEqual(['a'])
      expect(await hits({ topics: ['c'] })).toEqual(['b'])
      expect(await hits({ topics: ['memory optimization', 'c#'] })).toEqual(['a'])
      expect(await hits({ license: 'apache-2.0' })).toEqual(['a'])
      expect(await hits({ language: 'c++' })).toEqual(['a'])
      expect(await hits({ archived: true })).toEqual(['b'])
      expect(await hits({ archived: false })).toEqual(['a'])
      expect(await hits({ minStars: 4 })).toEqual(['a'])
      expect(await hits({ minStars: 3 })).toEqual(['a', 'b'])
      expect(await hits({ updatedSince: '2026-01-01T00:00:00.000Z' })).toEqual(['a'])
      expect(await hits({ owner: 'nobody' })).toEqual([])
    })

    test('facets count all matches, the most frequent values first', async () => {
      await publish(
        ...Array.from({ length: 30 }, (_, n) => ({
          owner: n < 10 ? 'Acme' : 'other',
          description: 'pdf',
          topics: n % 2 ? ['even', 'all'] : ['all'],
          license: n < 5 ? 'MIT' : null,
        })),
        { owner: 'elsewhere', description: 'csv', topics: ['csv'] },
      )

      const { facets } = await search('pdf', { limit: 1, facets: ['topics', 'owner', 'license', 'language'] })

      expect(facets).toEqual({
        topics: [
          { value: 'all', count: 30 },
          { value: 'even', count: 15 },
        ],
        owner: [
          { value: 'other', count: 20 },
          { value: 'acme', count: 10 },
        ],
        license: [{ value: 'MIT', count: 5 }],
        language: [],
      })
    })

    test('highlights have the positions of the words, corrected ones too', async () => {
      await publish({
        owner: 'acme',
        repo: 'x',
        name: 'Terraform, ordered',
        topics: ['infra', 'terraform'],
        description: 'No.',
      })

      const [hit] = (await search('teraform ord', { highlight: true })).hits

      expect(hit?.matches).toEqual({
        name: [
          { start: 0, length: 9 },
          { start: 11, length: 7 },
        ],
        repo: [],
        owner: [],
        description: [],
        topics: [[], [{ start: 0, length: 9 }]],
      })
      expect((await search('terraform')).hits[0]?.matches).toBeNull()
    })
  })
}
