import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cleanLine, cleanText, shorten } from '../../shared/text/clean-text.js'

describe('cleanText', () => {
  test.each([
    ['line breaks are line feeds, and tabs stay', 'one\r\ntwo\rthree\u2028four\tfive', 'one\ntwo\nthree\nfour\tfive'],
    [
      'control characters and halves of pairs are removed',
      'a\u0000b\u001b[31mc\ud800d\udc00e 👩🏽‍💻',
      'ab[31mcde 👩🏽‍💻',
    ],
    ['letters have their accents, as in NFC', 'Cafe\u0301', 'Café'],
  ])('%s', (_, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned)
  })

  test.each([
    ['tags', '\u{e0001}\u{e0049}\u{e0067}\u{e007f}'],
    ['marks of music and shorthand', '\u{1d173}\u{1d17a}\u{1bca0}\u{1bca3}'],
    ['annotations', '\ufff9\ufffa\ufffb'],
    ['marks and overrides of direction', '\u200e\u200f\u061c\u202a\u202e\u2066\u2069'],
    ['spaces and operators without width', '\u200b\u2060\u2061\u2064\u206f\ufeff\u00ad\u034f'],
    ['fillers', '\u115f\u1160\u3164\uffa0\u17b4\u180e'],
    ['selectors and joiners after a letter', '\ufe0f\ufe00\u{e0100}\u{e01ef}\u200c\u200d'],
    ['noncharacters and unassigned code points', '\ufdd0\uffff\u{1fffe}\u{e0fff}\ufff0\u2065'],
  ])('%s are removed', (_, characters) => {
    expect([...characters].map((character) => cleanText(`x${character}y`))).toEqual([...characters].map(() => 'xy'))
    expect(cleanText(`x${characters}y`)).toBe('xy')
    expect(cleanText(characters)).toBeNull()
  })

  test.each([
    ['emoji', '👩🏽\u200d💻 🏴\u200d☠\ufe0f ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ©\ufe0e'],
    ['the flag of Wales', '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['Persian', 'می\u200cخواهم'],
    ['Hindi', 'क्\u200dष क्\u200cष'],
    ['Bengali and Malayalam', 'র\u200d্য അവന്\u200d'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['Mongolian', 'ᠠ\u180b ᠨ\u180eᠠ'],
    ['variants of Chinese characters and of signs', '葛\u{e0100} ⊓\ufe00'],
  ])('what changes how %s look stays', (_, text) => {
    expect(cleanText(text)).toBe(text)
  })

  test('of several selectors or joiners after a character one stays', () => {
    expect(cleanText(`😀\ufe0f${'\u{e0141}\ufe01'.repeat(20)}`)).toBe('😀\ufe0f')
    expect(cleanText(`葛${'\u{e0100}'.repeat(20)} न${'\u200d\u200c'.repeat(20)}`)).toBe('葛\u{e0100} न\u200d')
    expect(cleanText('🏴\u{e0068}\u{e0069}\u{e007f} 😀\u{e0067}')).toBe('🏴 😀')
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

test.each([
  ['a short text stays as it is', '12345', 5, '12345'],
  ['a longer text ends with an ellipsis', '123456', 5, '1234…'],
  ['half a character is never left', 'ab🚀cd', 4, 'ab…'],
])('shortened, %s', (_, text, maximum, short) => {
  expect(shorten(text, maximum)).toBe(short)
})
