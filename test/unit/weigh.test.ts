import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readQuery, type Vocabulary } from '../../shared/ranking/concepts.js'
import { parseSearchText } from '../../shared/ranking/interpret-query.js'
import { parseSynonyms } from '../../shared/ranking/other-words.js'
import { allConcepts, lengthOfText, Weigher } from '../../shared/ranking/weigh.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { skillWords, wordLines } from '../../shared/text/skill-words.js'
import { aSkill } from '../support/factories.js'

/** An index of all words, which are equally rare. */
const everyWord: Vocabulary = {
  rarity: () => 1,
  count: (words) => new Map(words.map((word) => [word, 1])),
  withStems: () => new Map(),
  hasBeginning: () => true,
  completions: () => null,
  similar: () => [],
  hasText: () => false,
}

const weigherFor = (text: string) => new Weigher(readQuery(parseSearchText(text), everyWord, parseSynonyms('')))
const linesOf = (skill: Parameters<typeof aSkill>[0]) =>
  wordLines(skillWords(toPublicSkill(aSkill({ repo: 'r', ...skill }))))

test('concepts are found where they count most', () => {
  const lines = linesOf({ owner: 'acme', name: 'x', topics: ['pdf'], description: 'PDF files' })

  expect(weigherFor('pdf file zzz').explain(lines)).toEqual([
    { word: 'pdf', match: { kind: 'exact', field: 'topics' } },
    { word: 'file', match: null },
    { word: 'zzz', match: null },
  ])
  expect(weigherFor('pdf file').explain(lines)[1]).toEqual({
    word: 'file',
    match: { kind: 'prefix', field: 'description' },
  })
})

test('words of two entries or fields are not adjacent', () => {
  const together = linesOf({ topics: ['pdf reader'] })
  const apart = linesOf({ topics: ['pdf', 'reader'] })

  expect(weigherFor('"pdf reader"').weigh(together).placement).toBe('all words')
  expect(weigherFor('"pdf reader"').weigh(apart)).toEqual({ placement: 'some words', score: 0 })
})

test('the parts of a word in camel case fill only a share of a name', () => {
  const score = (name: string) => weigherFor('chain').weigh(linesOf({ name })).score

  expect(score('Chain')).toBeGreaterThan(score('LangChain'))
  expect(score('LangChain')).toBeGreaterThan(score('LangChainTools'))
})

test('a skill with all concepts has a better score than one without', () => {
  const text = fc.array(fc.constantFrom('a', 'pdf', 'reader', 'of', 'x', 'C++'), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(text, text, text, text, (query, name, description, topics) => {
      const lines = linesOf({ name: name.join(' '), description: description.join(' '), topics })
      const weigher = weigherFor(query.join(' '))
      const { placement, score } = weigher.weigh(lines)
      const hasAll = weigher.explain(lines).every(({ match }) => match !== null)

      expect(placement).toBe(hasAll ? 'all words' : 'some words')
      expect(score >= allConcepts).toBe(hasAll)
      expect(score).toBe(Math.min(0.98, Math.max(0, score)))
    }),
  )
})

test('a long text loses by its length, for a task more than for a short query; a short text gains nothing', () => {
  expect([lengthOfText(0, false), lengthOfText(100, true), lengthOfText(210, true)]).toEqual([1, 1, 1])
  expect(lengthOfText(800, false)).toBeGreaterThan(1)
  expect(lengthOfText(800, true)).toBeGreaterThan(lengthOfText(800, false))
})
