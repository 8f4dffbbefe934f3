import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { IndexUnderTest } from './index-under-test.js'

/** Texts of characters and words with a meaning to engines. */
const syntax = fc
  .array(
    fc.constantFrom(
      '"',
      "'",
      '*',
      '-',
      '^',
      '(',
      ')',
      '{',
      '}',
      ':',
      '=',
      ' ',
      '\\',
      'AND',
      'NOT',
      'NEAR',
      'pdf',
      '語',
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((parts) => parts.join('').trim() || '"')

/** A SearchIndex answers any text. */
export function hostileText({ publish, search, found }: IndexUnderTest): void {
  describe('hostile text', () => {
    test.each([
      '"',
      '""',
      '*',
      '-',
      '- -',
      '--',
      'a"b"c',
      '"unclosed phrase',
      'NEAR(a b, 2)',
      'name:pdf',
      'tags:"=all="',
      '=all=',
      'pdf AND',
      'pdf OR NOT (',
      "'; DROP TABLE skills; --",
      '^pdf + {name} : x',
      '\\',
      '%_%',
      '⑴ ½ ﷺ ㎏',
      'a\u0300'.repeat(100),
      '\u0301'.repeat(200),
      '\u202e\u200b\ufeff',
      '🏳️‍🌈👩‍👩‍👧',
      'x '.repeat(100),
      '語'.repeat(200),
      'a'.repeat(200),
      'nul\u0000inside',
    ])('%j is answered', async (text) => {
      await publish({ repo: 'a', name: 'pdf' })

      const page = await search(text, { facets: ['topics'], highlight: true, sort: 'relevance' })

      expect(page.total).toBe(page.hits.length)
      expect(page.facets.topics).toBeDefined()
    })

    test('any text is answered', async () => {
      await publish({ repo: 'a', name: 'pdf', description: 'a " * ( : - ^ { } = 語 é 🦀' })
      const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((text) => text.trim() || '-')

      await fc.assert(
        fc.asyncProperty(fc.oneof(texts, syntax), async (text) => {
          const page = await search(text, { facets: ['owner'], highlight: true })
          expect(page.total).toBe(page.hits.length)
        }),
        { numRuns: 60 },
      )
    })

    test('the tokens of filters cannot be searched for', async () => {
      await publish({ repo: 'a', name: 'pdf', license: 'MIT' })

      expect(await found('=license=mit')).toEqual([])
      expect(await found('license')).toEqual([])
    })
  })
}
