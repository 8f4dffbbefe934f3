import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { maxTerms, meantText, parseSearchText, stopWordsIn } from '../../shared/ranking/interpret-query.js'

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
  expect(parseSearchText('ab '.repeat(60)).terms).toHaveLength(maxTerms)
})

test('a task has joined words, and what they are joined to', () => {
  const task = `(cert-manager), net8.0: a/b main.tf don't up-to-date x_y 5.1 データ-x ${'and so on '.repeat(20)}`

  expect(reading(task)).toEqual([
    ...['cert', 'manager', 'cert+manager', 'net8', '0', 'net8+0', 'a', 'b', 'main', 'tf', 'main+tf', 'don', 't'],
    ...['up', 'to', 'date', 'up+to+date', 'デ+ー+タ', 'x', 'and', 'so', 'on'],
  ])
})

describe('the meant text', () => {
  test.each([
    ['markdown to pdf', 'markdown to pdf'],
    ['  markdown   to\tpdf ', 'markdown to pdf'],
    ['pdf -csv tables', 'pdf tables'],
    ['pdf -"to csv" tables', 'pdf tables'],
    ['"to pdf" fast', 'to pdf fast'],
    ['“to pdf”', 'to pdf'],
    ['pdf - csv', 'pdf - csv'],
    ['e-mail', 'e-mail'],
    ['"unclosed phrase', '" unclosed phrase'],
    ['-pdf', ''],
    ['-"to pdf" -csv', ''],
    // As in the parsed text, only a word after a space is excluded.
    ['"to pdf"-csv', 'to pdf -csv'],
    ['', ''],
  ])('of %j', (text, meant) => {
    expect(meantText(text)).toBe(meant)
  })

  test('has the words that are searched, and none that is excluded', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '-', '"', ' ', '.'), maxLength: 30 }), (text) => {
        const words = parseSearchText(text).terms.flatMap(({ tokens }) => tokens)
        const meant = parseSearchText(meantText(text).replaceAll(/-/g, ' ')).terms.flatMap(({ tokens }) => tokens)
        expect(meant).toEqual(words)
      }),
    )
  })
})

test.each([
  ['how do i convert my pdf to text', ['convert', 'pdf', 'text']],
  ['please help me find a good invoice reader', ['invoice', 'reader']],
  ['wie kann ich eine rechnung lesen', ['rechnung', 'lesen']],
  ['je veux lire une facture dans le pdf', ['lire', 'facture', 'pdf']],
  ['je cherche a faire une presentation', ['presentation']],
  ['por favor convertir un pdf en texto', ['convertir', 'pdf', 'texto']],
  // Two words are English and French, and the third one only seems to be.
  ['comment on a pull request', ['comment', 'pull', 'request']],
  ['как мне найти файл', ['найти', 'файл']],
  // A function word of another language alone is a name.
  ['kubernetes pod', ['kubernetes', 'pod']],
  ['die casting', ['die', 'casting']],
  ['constructor', ['constructor']],
  ['how do i', []],
  ['', []],
])('%j informs by %j', (query, informative) => {
  const words = query.split(' ').filter((word) => word !== '')
  const stopWords = stopWordsIn(words)

  expect(words.filter((word) => !stopWords.has(word))).toEqual(informative)
})

test('when, how many, and what people say of it informs in a short text, and not in a task', () => {
  const words = 'last night two colleagues said the backups take hours'.split(' ')
  const informing = (isTask: boolean) => words.filter((word) => !stopWordsIn(words, isTask).has(word))

  expect(informing(false)).toEqual(expect.arrayContaining(['night', 'colleagues', 'backups', 'hours']))
  expect(informing(true)).toEqual(['backups'])
})
