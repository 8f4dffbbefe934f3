import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { asWritten, filterHints, highlight } from '../../services/query/skills/explain-hits.js'

const found = (q: string) => filterHints(q).map(({ text, parameter, value }) => [text, parameter, value])

test.each<[q: string, hints: string[][]]>([
  ['owner:acme', [['owner:acme', 'owner', 'acme']]],
  ['pdf Owner:Acme tables', [['Owner:Acme', 'owner', 'Acme']]],
  [
    'user:acme org:other',
    [
      ['user:acme', 'owner', 'acme'],
      ['org:other', 'owner', 'other'],
    ],
  ],
  [
    'topic:pdf, topic:c++',
    [
      ['topic:pdf,', 'topic', 'pdf'],
      ['topic:c++', 'topic', 'c++'],
    ],
  ],
  ['topic:"machine learning" x', [['topic:"machine learning"', 'topic', 'machine learning']]],
  ['language:„Jupyter Notebook“', [['language:„Jupyter Notebook“', 'language', 'Jupyter Notebook']]],
  [
    'license:MIT licence:Apache-2.0',
    [
      ['license:MIT', 'license', 'MIT'],
      ['licence:Apache-2.0', 'license', 'Apache-2.0'],
    ],
  ],
  ['lang:c# lang:c#', [['lang:c#', 'language', 'c#']]],
  ['topic:日本語', [['topic:日本語', 'topic', '日本語']]],
])('%s', (q, hints) => {
  expect(found(q)).toEqual(hints)
})

test.each([
  'pdf',
  'owner acme',
  'owner: acme',
  'owner:',
  'owner:a/b',
  'owner:"a b"',
  'xowner:acme',
  '-owner:acme',
  'http://owner:x@host',
  'owner:<script>',
  'topic:""',
  'constructor:x',
  '__proto__:x',
  'stars:5',
  '"owner:acme',
])('no filter: %s', (q) => {
  expect(found(q)).toEqual([])
})

test('the message has the parameter as it is sent', () => {
  expect(filterHints('topic:"c & d"')[0]?.message).toBe(
    'topic:"c & d" is searched for as text. To filter, ask with topic=c+%26+d, and without it in q.',
  )
})

test('a long text of them takes no time to speak of', () => {
  expect(filterHints('owner:"'.repeat(5_000))).toEqual([])
  expect(filterHints('owner:a '.repeat(5_000))).toHaveLength(1)
})

describe('highlighting', () => {
  test.each([
    ['marks a match', 'markdown to pdf', [{ start: 12, length: 3 }], 'markdown to <em>pdf</em>'],
    [
      'escapes text around and inside matches',
      '<b>"R&D"</b>',
      [{ start: 4, length: 3 }],
      '&lt;b&gt;&quot;<em>R&amp;D</em>&quot;&lt;/b&gt;',
    ],
    [
      'accepts matches in any order, and merges overlapping and adjacent ones',
      'abcdefgh',
      [
        { start: 6, length: 1 },
        { start: 2, length: 2 },
        { start: 1, length: 2 },
        { start: 4, length: 1 },
      ],
      'a<em>bcde</em>f<em>g</em>h',
    ],
    ['never splits a character', 'a😀b', [{ start: 2, length: 1 }], 'a<em>😀</em>b'],
    ['keeps within the text', 'abc', [{ start: 2, length: 9 }], 'ab<em>c</em>'],
    ['ignores empty matches', 'abc', [{ start: 1, length: 0 }], 'abc'],
  ])('%s', (_, text, matches, html) => {
    expect(highlight(text, matches)).toBe(html)
  })

  test.each([
    ['there is no text', null, [{ start: 0, length: 1 }]],
    ['it was not searched', 'abc', undefined],
    ['it has no match', 'abc', []],
  ])('is null when %s', (_, text, matches) => {
    expect(highlight(text, matches)).toBeNull()
  })

  test('for any text and matches, only <em> is markup and the text is complete', () => {
    const matches = fc.array(fc.record({ start: fc.nat(30), length: fc.nat(30) }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), matches, (text, found) => {
        const plain = (highlight(text, found) ?? '').replace(/<\/?em>/g, '')
        expect(plain).not.toMatch(/[<>"']/)
        const read = plain
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&')
        expect(read).toBe(text)
      }),
    )
  })
})

test.each([
  ['cplusplus', 'C++ parser', 'c++'],
  ['csharp dotnet', '"c# .net"', 'c# .net'],
  ['dotnet', 'dotnet core', 'dotnet'],
  ['cafe', 'café', 'cafe'],
])('the word %s of the query %s is explained as %s', (word, q, written) => {
  expect(asWritten({ word, match: null }, q)).toEqual({ word: written, match: null })
})
