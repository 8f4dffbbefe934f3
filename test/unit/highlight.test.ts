import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { highlight } from '../../services/query/highlight.js'

test.each([
  ['marks a match', 'markdown to pdf', [{ start: 12, length: 3 }], 'markdown to <em>pdf</em>'],
  [
    'escapes what is around and inside',
    '<b>"R&D"</b>',
    [{ start: 4, length: 3 }],
    '&lt;b&gt;&quot;<em>R&amp;D</em>&quot;&lt;/b&gt;',
  ],
  [
    'takes matches in any order, and those that overlap or touch as one',
    'abcdefgh',
    [
      { start: 6, length: 1 },
      { start: 2, length: 2 },
      { start: 1, length: 2 },
      { start: 4, length: 1 },
    ],
    'a<em>bcde</em>f<em>g</em>h',
  ],
  ['never cuts a character in two', 'a😀b', [{ start: 2, length: 1 }], 'a<em>😀</em>b'],
  ['keeps within the text', 'abc', [{ start: 2, length: 9 }], 'ab<em>c</em>'],
  ['ignores empty matches', 'abc', [{ start: 1, length: 0 }], 'abc'],
])('%s', (_, text, matches, html) => {
  expect(highlight(text, matches)).toBe(html)
})

test.each([
  ['there is no text', null, [{ start: 0, length: 1 }]],
  ['nothing was looked for in it', 'abc', undefined],
  ['nothing was found in it', 'abc', []],
])('is null when %s', (_, text, matches) => {
  expect(highlight(text, matches)).toBeNull()
})

test('whatever the text and the matches, only <em> is markup and the text is all there', () => {
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
