import { describe, expect, test } from '@jest/globals'
import distance from 'damerau-levenshtein'
import fc from 'fast-check'
import {
  indexedDeletions,
  isCorrection,
  queryTypos,
  spellingVariants,
  toleratedTypos,
} from '../../shared/ranking/other-words.js'

test.each([
  ['pdf', 0],
  ['pdfs', 1],
  ['table', 1],
  ['document', 1],
  ['documents', 2],
  ['gpt4o', 1],
  ['123456', 0],
])('%s tolerates %i typos', (word, typos) => {
  expect(toleratedTypos(word)).toBe(typos)
})

test.each([
  ['table', 'tabel', 1],
  ['table', 'tale', 1],
  ['table', 'tables', 1],
  ['table', 'tbael', 2],
])('%s and %s differ by %i edits', (a, b, typos) => {
  expect(queryTypos(a, b, 2)).toBe(typos)
})

test.each([
  ['table', 'tabel', 1],
  ['table', 'fable', 2],
  ['database', 'atabase', 2],
  ['database', 'tabase', 3],
])('%s matches %s with %i typos: the first letter counts twice', (word, other, typos) => {
  expect(queryTypos(word, other, 2)).toBe(typos)
})

describe('the map finds every word within the typos that a query tolerates', () => {
  const letter = fc.constantFrom(...'abcde')
  const word = fc.array(letter, { minLength: 3, maxLength: 14 }).map((letters) => letters.join(''))
  const edit = fc.record({ kind: fc.constantFrom('insert', 'delete', 'replace', 'swap'), at: fc.nat(20), letter })

  test('for any word and typos', () => {
    fc.assert(
      fc.property(word, fc.array(edit, { minLength: 1, maxLength: 2 }), (indexed, edits) => {
        const asked = edits.reduce(applyEdit, indexed)
        const forgiven = toleratedTypos(asked)
        fc.pre(forgiven > 0 && distance(asked, indexed).steps <= forgiven)

        const entered = isCorrection(indexed) ? spellingVariants(indexed, indexedDeletions(indexed)) : new Set()
        const looked = spellingVariants(asked, forgiven)

        expect([...looked].some((variant) => entered.has(variant))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

function applyEdit(word: string, { kind, at, letter }: { kind: string; at: number; letter: string }): string {
  const place = at % word.length
  switch (kind) {
    case 'insert':
      return word.slice(0, place) + letter + word.slice(place)
    case 'delete':
      return word.slice(0, place) + word.slice(place + 1)
    case 'replace':
      return word.slice(0, place) + letter + word.slice(place + 1)
    default:
      return word.slice(0, place) + (word[place + 1] ?? '') + (word[place] ?? '') + word.slice(place + 2)
  }
}
