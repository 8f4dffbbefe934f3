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
  ...[
    '"',
    '""',
    '*',
    '-',
    '- -',
    '--',
    '/',
    '...',
    'a"b"c',
    '"unclosed phrase',
    'pdf"',
    '\\',
    '%_%',
    '^pdf + {name} : x',
  ],
  ...['(pdf)', 'pdf*', '-pdf', '"pdf', '👨‍👩‍👧‍👦', 'pdf AND NOT b OR NEAR(', '=owner=acme', 'constructor', '\ud800'],
  ...['NEAR(a b, 2)', 'name:pdf', 'tags:"=all="', '=all=', 'pdf AND', 'pdf OR NOT (', `'; DROP TABLE skills; --`],
  ...[
    '⑴ ½ ﷺ ㎏',
    '\u202e\u200b\ufeff',
    '🏳️‍🌈👩‍👩‍👧',
    'nul\u0000inside',
    '\u0000pdf',
    '-the',
    'a/b -"c/d" c++',
    'of the -of',
  ],
  ...[
    'a\u0300'.repeat(100),
    '\u0301'.repeat(200),
    'x '.repeat(100),
    '語'.repeat(200),
    '😀'.repeat(200),
    'a'.repeat(200),
  ],
  'e\u0301'.repeat(100),
  `${'a'.repeat(100)}/${'b'.repeat(99)}`,
]

/** A SearchIndex answers any text, with any published skills. */
export function hostileText({ publish, search, found, suggested }: IndexUnderTest): void {
  describe('hostile text', () => {
    const expectAnswers = async (text: string) => {
      const page = await search(text, { facets: ['owner', 'topics'], highlight: true, explain: true })
      const facets = { owner: page.total === 0 ? [] : [{ value: 'acme', count: page.total }], topics: [] }
      expect({ text, ...page }).toEqual({ text, ...page, total: page.hits.length, facets })
      expect({ text, others: (await suggested(text)).filter((id) => id !== 'acme/a') }).toEqual({ text, others: [] })
    }

    test('texts with a meaning to engines are answered', async () => {
      await publish({ repo: 'a', name: 'pdf' })

      for (const text of texts) {
        await expectAnswers(text)
      }
    })

    test('any text is answered', async () => {
      await publish({ repo: 'a', name: 'pdf " * ( : 語 é 🦀 =', description: 'a " * ( : - ^ { } = 語 é 🦀' })
      const anything = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((text) => text.trim() || '-')

      await fc.assert(fc.asyncProperty(fc.oneof(anything, syntax), expectAnswers), { numRuns: 60 })
    })

    test('the tokens of filters cannot be searched for', async () => {
      await publish({ repo: 'a', name: 'pdf', license: 'MIT' })

      expect(await found('=license=mit')).toEqual([])
      expect(await found('license')).toEqual([])
    })
  })
}
