import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { camelCaseParts, foldLetters, stemOf, tokenize, wordsIn } from '../../shared/text/analyze.js'

describe('tokenize', () => {
  test.each([
    ['Markdown-to_PDF.v2/x', ['markdown', 'to', 'pdf', 'v2', 'x']],
    ['Straße, Łódź & Øresund', ['strasse', 'lodz', 'oresund']],
    ['日本語テスト', ['日', '本', '語', 'テ', 'ス', 'ト']],
    ['PDF変換tool', ['pdf', '変', '換', 'tool']],
    ['한국어', ['한', '국', '어']],
    ['Rust 🦀!', ['rust', '🦀']],
    ['⑴ ½ ﷺ', ['1', '12', 'صلىاللهعليهوسلم']],
    ['', []],
    ['\u0301\u0301', []],
    ['"(*)"', []],
    ['C++, c#/F# or ASP.NET', ['cplusplus', 'csharp', 'fsharp', 'or', 'asp', 'net']],
    ['a .NET app, a .env file', ['a', 'dotnet', 'app', 'a', 'dotenv', 'file']],
    ['é C++ .environment c#x', ['e', 'cplusplus', 'environment', 'c', 'x']],
    ['constructor', ['constructor']],
  ])('%j', (text, tokens) => {
    expect(tokenize(text).map((token) => token.text)).toEqual(tokens)
    expect(wordsIn(text)).toEqual(tokens)
  })

  test('a token has its position in the original text', () => {
    const text = 'Für Café 🦀 語'

    expect(tokenize(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Für', 'Café', '🦀', '語'])
  })

  test('for any text, tokens are letters, digits or pictographs, in order and within it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let end = 0
        for (const token of tokenize(text)) {
          expect(token.text).toMatch(/^[\p{L}\p{N}\p{Extended_Pictographic}]+$/u)
          expect(token.start).toBeGreaterThanOrEqual(end)
          expect(token.end).toBeGreaterThan(token.start)
          end = token.end
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})

test('texts that differ only in case, accents and separators have the same key', () => {
  expect(wordsIn('Markdown--to  PDF')).toEqual(wordsIn('markdown_to/pdf'))
  expect(wordsIn('Café')).toEqual(wordsIn('CAFE\u0301'))
})

test('folding twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => foldLetters(foldLetters(text)) === foldLetters(text)),
  )
})

test.each([
  ['LangChain', ['lang', 'chain']],
  ['parseHTMLFast', ['parse', 'html', 'fast']],
  ['langchain', []],
  ['HTML', []],
  ['a-LangChain tool', ['lang', 'chain']],
])('camel case: %s', (text, parts) => {
  expect(camelCaseParts(text)).toEqual(parts)
})

test.each([
  [['scrape', 'scraping', 'scraped', 'scrapes']],
  [['ticket', 'tickets']],
  [['kubernetes', 'kubernete']],
  [['organization', 'organizations']],
  [['файл', 'файлов', 'файлами']],
])('%j have one stem', (words) => {
  expect(new Set(words.map(stemOf)).size).toBe(1)
})

test.each([
  ['new', 'news'],
  ['policy', 'police'],
  ['organ', 'organization'],
  ['general', 'generic'],
  ['redis', 'redi'],
])('%s and %s have not', (a, b) => {
  expect(stemOf(a)).not.toBe(stemOf(b))
})

test.each(['pdf', 'gpt4o', '日', 'straße', 'a'.repeat(41)])('%s is its own stem', (word) => {
  expect(stemOf(word)).toBe(word)
})
