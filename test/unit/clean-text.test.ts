import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cleanLine, cleanText, shorten } from '../../shared/text/clean-text.js'

describe('cleanText', () => {
  test('line breaks become line feeds, and tabs stay', () => {
    expect(cleanText('one\r\ntwo\rthree\u2028four\tfive')).toBe('one\ntwo\nthree\nfour\tfive')
  })

  test('control characters and lone surrogates are removed, pairs and joined emoji stay', () => {
    expect(cleanText('a\u0000b\u001b[31mc\ud800d\udc00e 👩🏽‍💻')).toBe('ab[31mcde 👩🏽‍💻')
  })

  test('text becomes NFC', () => {
    expect(cleanText('Cafe\u0301')).toBe('Café')
  })

  test('text without visible characters is null', () => {
    expect([cleanText(' \n\t '), cleanText('\u200b\u200d'), cleanText('\ufeff'), cleanText('\u0000')]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('any text becomes well-formed and trimmed, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const cleaned = cleanText(text)
        if (cleaned !== null) {
          expect(Buffer.from(cleaned).toString()).toBe(cleaned)
          expect(cleanText(cleaned)).toBe(cleaned)
        }
      }),
    )
  })
})

test('cleanLine puts text on one line', () => {
  expect(cleanLine('  one\r\n\ttwo   three ')).toBe('one two three')
})

describe('shorten', () => {
  test('a short text stays as it is', () => {
    expect(shorten('12345', 5)).toBe('12345')
  })

  test('a longer text ends with an ellipsis', () => {
    expect(shorten('123456', 5)).toBe('1234…')
  })

  test('shortening never leaves half a character', () => {
    expect(shorten('ab🚀cd', 4)).toBe('ab…')
  })
})
