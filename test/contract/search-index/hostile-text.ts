import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { IndexUnderTest } from './index-under-test.js'

/** Texts of characters and words with a meaning to engines. */
const syntax = fc
  .array(fc.constantFrom(' ', ...`" ' * - ^ ( ) { } : = \\ + # . AND NOT NEAR pdf c++ 語`.split(' ')), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => parts.join('').trim() || '"')

const texts = [
  ...['"', '""', '*', '-', '- -', '--', 'a"b"c', '"unclosed phrase', '\\', '%_%', '^pdf + {name} : x'],
  ...['NEAR(a b, 2)', 'name:pdf', 'tags:"=all="', '=all=', 'pdf AND', 'pdf OR NOT (', `'; DROP TABLE skills; --`],
  ...['⑴ ½ ﷺ ㎏', '\u202e\u200b\ufeff', '🏳️‍🌈👩‍👩‍👧', 'nul\u0000inside', '-the', 'a/b -"c/d" c++', 'of the -of'],
  ...['a\u0300'.repeat(100), '\u0301'.repeat(200), 'x '.repeat(100), '語'.repeat(200), 'a'.repeat(200)],
]

/** A SearchIndex answers any text. */
export function hostileText({ publish, search, found }: IndexUnderTest): void {
  describe('hostile text', () => {
    test('texts with a meaning to engines are answered', async () => {
      await publish({ repo: 'a', name: 'pdf' })

      for (const text of texts) {
        const page = await search(text, { facets: ['topics'], highlight: true, explain: true })

        expect({ text, ...page }).toEqual({ text, ...page, total: page.hits.length, facets: { topics: [] } })
      }
    })

    test('any text is answered', async () => {
      await publish({ repo: 'a', name: 'pdf', description: 'a " * ( : - ^ { } = 語 é 🦀' })
      const anything = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((text) => text.trim() || '-')

      await fc.assert(
        fc.asyncProperty(fc.oneof(anything, syntax), async (text) => {
          const page = await search(text, { facets: ['owner'], highlight: true, explain: true })
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
