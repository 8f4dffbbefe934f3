import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import distance from 'damerau-levenshtein'
import fc from 'fast-check'
import {
  indexedDeletions,
  isCorrection,
  parseSynonyms,
  queryTypos,
  readSynonyms,
  spellingVariants,
  toleratedTypos,
} from '../../shared/ranking/other-words.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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

const namesOf = (text: string, ...phrase: string[]) =>
  parseSynonyms(text)
    .of(phrase)
    .map((name) => name.join(' '))

test('names of a group stand for each other, in any form', () => {
  const text = '# A comment\n\nVM = virtual machine = box\nbox = crate\n'

  expect(namesOf(text, 'vm')).toEqual(['virtual machine', 'box'])
  expect(namesOf(text, 'virtual', 'machines')).toEqual(['vm', 'box'])
  expect(namesOf(text, 'boxes')).toEqual(['vm', 'virtual machine', 'crate'])
  expect(namesOf(text, 'machine')).toEqual([])
  expect(parseSynonyms(text).longest).toBe(2)
})

test.each(['a = b\nonly one\n', 'a = b\nc =\n', 'a = b\n! = c\n'])('a bad line is named: %j', (text) => {
  expect(() => parseSynonyms(text)).toThrow('line 2: needs two names or more')
})

test('the shipped file has 150 groups or more, and a letter in each name', () => {
  const { names } = readSynonyms()

  expect(names.length).toBeGreaterThanOrEqual(2 * 150)
  expect(names.filter((name) => !/\p{L}/u.test(name.join('')))).toEqual([])
})

test('a file of the operator adds groups', () => {
  const file = join(temporaryFolder(), 'synonyms.txt')
  writeFileSync(file, 'acme = acme corp\n')

  expect(readSynonyms(file).of(['acme'])).toEqual([['acme', 'corp']])
  expect(readSynonyms(file).of(['k8s'])).toEqual(readSynonyms().of(['k8s']))
})
