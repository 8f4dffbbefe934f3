import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { endpoints } from '../../services/query/endpoints.js'
import { maxQueryLength } from '../../services/query/request/parameters.js'
import { parseQuery } from '../../services/query/request/parse-query.js'
import { maxTerms, parsePlainText, parseSearchText } from '../../shared/ranking/interpret-query.js'
import { visibleText } from '../../shared/text/clean-text.js'
import { anyText } from './any-skill.js'

const names = [...new Set(endpoints.flatMap(({ query }) => Object.keys(query.shape)))]

/** Parts of query strings, valid and invalid. */
const piece = fc.oneof(
  { arbitrary: fc.constantFrom(...names), weight: 3 },
  { arbitrary: fc.constantFrom('=', '&', '=', '&', ',', '+', ';', '#', '?', '[]', '[$ne]', '.'), weight: 3 },
  fc.constantFrom('%', '%0', '%00', '%2', '%20', '%25', '%3D', '%26', '%C3', '%ED%A0%80', '%F0%9F%A6%80', '%u0041'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'NaN', '1e2', '-0', '007', 'true', 'null'),
  fc.constantFrom('1', '100', '10000', '99999999999999999999', '2026-02-30', '2026-01-31T12:00:00+24:00', 'a/b', 'asc'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

test('any query is parsed, or each invalid parameter is listed once', () => {
  const querystring = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.constantFrom(...endpoints), querystring, ({ query: schema }, text) => {
      const parsed = parseQuery(text, schema)

      if (parsed.errors === undefined) {
        expect(Object.keys(Object(parsed.query)).filter((name) => !Object.hasOwn(schema.shape, name))).toEqual([])
      } else {
        const { errors } = parsed
        expect(errors.length).toBeGreaterThan(0)
        expect(new Set(errors.map(({ parameter }) => parameter)).size).toBe(errors.length)
        expect(errors.filter(({ message }) => message === '')).toEqual([])
      }
    }),
    { numRuns: 300 },
  )
})

test('a search text is decoded from any encoding', () => {
  const search = endpoints.find(({ name }) => name === 'search-skills')
  const encodings = fc.constantFrom(
    (text: string) => encodeURIComponent(text),
    (text: string) => encodeURIComponent(text).replaceAll('%20', '+'),
    (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  fc.assert(
    fc.property(anyText, encodings, (text, encode) => {
      const asked = visibleText(text.replace(/\p{Cc}+/gu, ' ')).trim()
      fc.pre(asked !== '' && [...asked].length <= maxQueryLength)

      expect(search && parseQuery(`limit=5&q=${encode(text)}`, search.query)).toMatchObject({
        query: { q: asked, limit: 5 },
      })
    }),
  )
})

test('any search text is parsed to at most the maximum number of terms', () => {
  // Lone surrogates too: clients may send anything.
  const texts = fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 300 }), loneSurrogates)
  fc.assert(
    fc.property(texts, (text) => {
      for (const { terms, excluded, lastIsPrefix } of [parseSearchText(text), parsePlainText(text)]) {
        for (const list of [terms, excluded]) {
          expect(list.length).toBeLessThanOrEqual(maxTerms)
          expect(list.filter(({ tokens }) => tokens.length === 0)).toEqual([])
          for (const token of list.flatMap(({ tokens }) => tokens)) {
            expect(token).toMatch(/^[\p{L}\p{N}\p{Extended_Pictographic}]+$/u)
          }
        }
        expect(lastIsPrefix && terms.length === 0).toBe(false)
      }
    }),
    { numRuns: 300 },
  )
})

const loneSurrogates = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((units) => String.fromCharCode(...units))
