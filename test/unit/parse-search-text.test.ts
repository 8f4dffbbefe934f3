import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { maxTerms, parseSearchText } from '../../shared/text/parse-search-text.js'

/** The parsed text in short: `"…"` a phrase, `-` excluded, `*` completed. */
function reading(text: string): string[] {
  const { terms, excluded, lastIsPrefix } = parseSearchText(text)
  return [
    ...terms.map(
      ({ tokens, quoted }, position) =>
        `${quoted ? `"${tokens.join(' ')}"` : tokens.join('+')}${lastIsPrefix && position === terms.length - 1 ? '*' : ''}`,
    ),
    ...excluded.map(({ tokens }) => `-${tokens.join(' ')}`),
  ]
}

test.each([
  ['markdown pd', ['markdown', 'pd*']],
  ['markdown-to-pdf', ['markdown', 'to', 'pdf*']],
  ['acme/tool', ['acme', 'tool*']],
  ['"to pdf" fast', ['"to pdf"', 'fast*']],
  ['fast "to pdf"', ['fast', '"to pdf"']],
  ['“to pdf”', ['"to pdf"']],
  ['pdf -csv', ['pdf*', '-csv']],
  ['pdf -"to csv"', ['pdf*', '-to csv']],
  ['-pdf', ['-pdf']],
  ['pdf - csv', ['pdf', 'csv*']],
  ['pdf --csv', ['pdf', 'csv*']],
  ['"unclosed phrase', ['unclosed', 'phrase*']],
  ['"" pdf', ['pdf*']],
  ['データ分析 pdf', ['デ+ー+タ+分+析', 'pdf*']],
  ['pdf データ', ['pdf', 'デ+ー+タ']],
  ['pdf変換', ['pdf', '変+換']],
  ['c++ .net', ['cplusplus', 'dotnet*']],
  ['.net -c# -.env', ['dotnet*', '-csharp', '-dotenv']],
  ['node.js a/b', ['node+js', 'a+b']],
  ['http/3 x-api', ['http+3', 'x+api']],
  ['github.com/acme 2026.txt', ['github', 'com', 'acme', '2026', 'txt*']],
  ['!!! ???', []],
  ['', []],
])('%j', (text, expected) => {
  expect(reading(text)).toEqual(expected)
})

test('terms above the maximum are ignored', () => {
  expect(parseSearchText('word '.repeat(50)).terms).toHaveLength(maxTerms)
})

test('no text is refused, and no term is empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { terms, excluded } = parseSearchText(text)
      for (const { tokens } of [...terms, ...excluded]) {
        expect(tokens.length).toBeGreaterThan(0)
      }
    }),
  )
})
