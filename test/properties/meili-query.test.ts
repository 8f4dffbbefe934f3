import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  equals,
  filterConditions,
  idAfter,
  isOneOf,
  queryText,
  startsWith,
} from '../../shared/adapters/servers/meili/query.js'
import { parsePlainText, parseSearchText } from '../../shared/ranking/interpret-query.js'
import { anyText } from './any-skill.js'

/** A quoted value as the engine parses it: a backslash escapes the following quote or backslash. */
const literal = String.raw`"((?:[^"\\]|\\["\\])*)"`

const meant = (written: string): string => written.replace(/\\(["\\])/g, '$1')

/** The values in a filter of this form; null when it is not of this form. */
function valuesIn(form: RegExp, filter: string): string[] | null {
  const [, ...written] = form.exec(filter) ?? []
  return written.length === 0 ? null : written.map(meant)
}

describe('filters of Meilisearch', () => {
  test('any value stays one value', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        expect(valuesIn(new RegExp(`^license = ${literal}$`), equals('license', value))).toEqual([value])
        expect(valuesIn(new RegExp(`^id STARTS WITH ${literal}$`), startsWith('id', value))).toEqual([value])
        expect(valuesIn(new RegExp(`^id > ${literal}$`), idAfter(value))).toEqual([value])
      }),
    )
  })

  test('a list of values keeps its length', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (values) => {
        const form = new RegExp(`^id IN \\[${values.map(() => literal).join(', ')}\\]$`)

        expect(valuesIn(form, isOneOf('id', values))).toEqual(values)
      }),
    )
  })

  test('every filter is one condition', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), anyText, anyText, (topics, license, language) => {
        const conditions = filterConditions({ owner: 'Acme', topics, license, language, archived: false, minStars: 3 })

        const values = conditions.map((condition) => valuesIn(new RegExp(`^(?:\\w+) = ${literal}$`), condition)?.[0])
        expect(values).toEqual(['Acme', ...topics, license, language, undefined, undefined])
        expect(conditions.slice(-2)).toEqual(['archived = false', 'stars >= 3'])
      }),
    )
  })
})

test('a query of Meilisearch has only words, phrases and exclusions', () => {
  const word = String.raw`[\p{L}\p{N}\p{Extended_Pictographic}]+`
  const phrase = `"${word}(?: ${word})*"`
  const form = new RegExp(`^(?:-${phrase} )*(?:(?:${word}|${phrase})(?: (?:${word}|${phrase}))*)? ?$`, 'u')
  fc.assert(
    fc.property(anyText, (text) => {
      for (const parsed of [parseSearchText(text), parsePlainText(text)]) {
        expect(queryText(parsed)).toMatch(form)
        // The engine can only have read single words and quoted phrases.
        expect(queryText(parsed).split('-').length - 1).toBe(parsed.excluded.length)
      }
    }),
    { numRuns: 200 },
  )
})
