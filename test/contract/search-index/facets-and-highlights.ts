import { describe, expect, test } from '@jest/globals'
import type { IndexUnderTest } from './index-under-test.js'

/** The facets and match positions of a SearchIndex. */
export function facetsAndHighlights({ publish, search }: IndexUnderTest): void {
  describe('facets and highlights', () => {
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
