import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cleanLine, cleanText, shorten } from '../../shared/text/clean-text.js'

describe('cleanText', () => {
  test('line breaks become line feeds, and tabs stay', () => {
    expect(cleanText('one\r\ntwo\rthree\u2028four\tfive')).toBe('one\ntwo\nthree\nfour\tfive')
  })

  test('control characters and lone surrogates are taken out, pairs and joined emoji stay', () => {
    expect(cleanText('a\u0000b\u001b[31mc\ud800d\udc00e 👩🏽‍💻')).toBe('ab[31mcde 👩🏽‍💻')
  })

  test('text is composed', () => {
    expect(cleanText('Cafe\u0301')).toBe('Café')
  })

  test('what shows nothing is nothing', () => {
    expect([cleanText(' \n\t '), cleanText('\u200b\u200d'), cleanText('\ufeff'), cleanText('\u0000')]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('whatever comes in, what comes out is well-formed, trimmed, and the same when cleaned again', () => {
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
  test('text that fits stays as it is', () => {
    expect(shorten('12345', 5)).toBe('12345')
  })

  test('what is longer ends in an ellipsis', () => {
    expect(shorten('123456', 5)).toBe('1234…')
  })

  test('a cut never leaves half a character', () => {
    expect(shorten('ab🚀cd', 4)).toBe('ab…')
  })
})
