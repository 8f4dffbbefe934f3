import { describe, expect, test } from '@jest/globals'
import distance from 'damerau-levenshtein'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { Random } from '../../services/indexer/seed/random.js'
import { descriptionWords, inflectedWords, sentenceAbout } from '../relevance/description-queries.js'
import { otherForms } from '../relevance/inflect.js'
import { makeKnownItems } from '../relevance/known-items.js'
import { joinedName, nameWithWord, prefixOf, reorderedName, splitName, withTypo } from '../relevance/name-queries.js'
import { type RelevanceSkill, Vocabulary } from '../relevance/words.js'

const skill = (fields: Partial<RelevanceSkill>): RelevanceSkill => {
  const { owner = 'acme', repo = 'printer' } = fields
  return { id: `${owner}/${repo}`, owner, repo, skill: null, name: repo, description: null, topics: [], ...fields }
}
const vocabularyOf = (...descriptions: string[]): Vocabulary =>
  new Vocabulary(descriptions.map((description) => skill({ description })))
const nothing = vocabularyOf()
const random = (): Random => new Random(1, 'test')

describe('known items', () => {
  const skills = [...generateSkills(2_000, 1)]

  test('the same records in any order and the same seed make the same queries', () => {
    const queries = makeKnownItems(skills, 1, 20)

    expect(makeKnownItems([...skills].reverse(), 1, 20)).toEqual(queries)
    expect(makeKnownItems(skills, 2, 20)).not.toEqual(queries)
  })

  test('there are as many of each kind as asked for, or fewer where fewer records have them', () => {
    const count = (records: RelevanceSkill[], kind: string) =>
      makeKnownItems(records, 1, 20).filter((query) => query.kind === kind).length

    expect(count(skills, 'three words')).toBe(20)
    expect(count(skills.slice(0, 5), 'name')).toBe(5)
  })

  test('another record of the same name answers a name, but not an id', () => {
    const twins = [skill({ owner: 'a', name: 'Label Printer' }), skill({ owner: 'b', name: 'label-printer' })]
    const queries = makeKnownItems(twins, 1, 1)

    expect(queries.find(({ kind }) => kind === 'name')?.best).toEqual(['a/printer', 'b/printer'])
    expect(queries.find(({ kind }) => kind === 'owner/repo')?.best).toHaveLength(1)
  })
})

test.each([
  ['langchain', 'langch'],
  ['Label Printer', 'Label Pri'],
  ['A Big Cat', 'A Big'],
  ['go', null],
  ['abc', null],
])('the prefix of %s is %s', (name, prefix) => {
  expect(prefixOf(name)).toBe(prefix)
})

test('a typo is one edit in a word of five letters or more, after its first letter', () => {
  const draw = random()
  for (let round = 0; round < 500; round += 1) {
    const typed = withTypo('pdf Table, bookkeeper 2024a', draw) ?? ''

    expect(distance('pdf Table, bookkeeper 2024a', typed).steps).toBe(1)
    expect(typed).toMatch(/^pdf T[a-z]+, b[a-z]+ 2024a$/)
  }
  expect(withTypo('pdf 2024', draw)).toBeNull()
})

test.each([
  ['Label Printer', 'labelprinter'],
  ['label-printer', 'labelprinter'],
  ['printer', null],
  ['a label printer', null],
])('%s written together is %s', (name, joined) => {
  expect(joinedName(name)).toBe(joined)
})

test.each([
  ['LabelPrinter', 'label printer'],
  ['notebook', 'note book'],
  ['Notebook', 'note book'],
  ['note-book', null],
  ['printer', null],
])('%s written apart is %s', (name, split) => {
  expect(splitName(name, vocabularyOf('a note', 'note book', 'note or book', 'the book'))).toBe(split)
})

test('a reordered name has the same words in another order', () => {
  const draw = random()
  for (let round = 0; round < 20; round += 1) {
    expect(reorderedName('big label printer', draw)).toMatch(/^(label printer big|printer big label)$/)
  }
  expect(reorderedName('printer', draw)).toBeNull()
  expect(reorderedName('go go', draw)).toBeNull()
})

describe('words of a description', () => {
  const printer = skill({
    repo: 'label-printer',
    description: 'This printer can turn spreadsheets into addressed envelopes with barcodes: https://acme.example/docs',
  })

  test('leave out function words, the name and addresses, and keep their order', () => {
    expect(nothing.informativeWords(printer)).toEqual(['turn', 'spreadsheets', 'addressed', 'envelopes', 'barcodes'])
    expect(descriptionWords(printer, 5, nothing, random())).toBe('turn spreadsheets addressed envelopes barcodes')
    expect(descriptionWords(printer, 6, nothing, random())).toBeNull()
    expect(nameWithWord(printer, nothing, random())).toMatch(
      /^label-printer (turn|spreadsheets|addressed|envelopes|barcodes)$/,
    )
  })

  test('are not informative when many records have them', () => {
    const common = Array.from({ length: 20 }, (_, place) => skill({ description: place < 6 ? 'barcodes' : 'other' }))

    expect(new Vocabulary(common).informativeWords(skill({ description: 'turn barcodes' }))).toEqual(['turn'])
  })

  test('stand three in a sentence, in their order', () => {
    const sentence = sentenceAbout(printer, nothing, random())?.split(' ') ?? []
    const words = nothing.informativeWords(printer)

    const used = sentence.filter((word) => words.includes(word))

    expect(used).toHaveLength(3)
    expect(used).toEqual(words.filter((word) => used.includes(word)))
    expect(sentence.length).toBeGreaterThan(5)
    expect(sentence).not.toContain('_')
    expect(sentenceAbout(skill({ description: 'schreibt Adressen auf Umschläge' }), nothing, random())).toBeNull()
  })

  test('are inflected into forms that other records have', () => {
    const forms = 'spreadsheet envelope barcode addressing address'
    const vocabulary = vocabularyOf(forms, forms)

    for (let seed = 1; seed <= 20; seed += 1) {
      const words = inflectedWords(printer, vocabulary, new Random(seed, 'test'))?.split(' ') ?? []
      const changed = words.filter((word) => !vocabulary.informativeWords(printer).includes(word))

      expect(words).toHaveLength(3)
      expect(changed).toHaveLength(2)
      expect(forms.split(' ')).toEqual(expect.arrayContaining(changed))
    }
  })
})

test.each([
  ['parsing', 'parse parser parses parsed', ['parse', 'parses', 'parsed', 'parser']],
  ['libraries', 'library librarie', ['library']],
  ['planning', 'plan plans planner', ['plan', 'plans', 'planner']],
  ['searches', 'search searching', ['search', 'searching']],
  ['address', 'addres addresses', ['addresses']],
  ['string', 'str', []],
  ['pdf', 'pdfs', []],
])('of the forms of %s these are words: %s', (word, words, forms) => {
  expect(otherForms(word, vocabularyOf(words, words, 'rare pars')).sort()).toEqual([...forms].sort())
})
