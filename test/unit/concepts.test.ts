import { describe, expect, test } from '@jest/globals'
import { type Concept, readQuery, type Vocabulary } from '../../shared/ranking/concepts.js'
import { parseSearchText } from '../../shared/ranking/interpret-query.js'
import { parseSynonyms, queryTypos } from '../../shared/ranking/other-words.js'
import { stemOf } from '../../shared/text/analyze.js'

const synonyms = parseSynonyms('k8s = kubernetes\nvm = virtual machine')

/** An index of these words, the first of which is in the smallest number of documents. */
const aVocabulary = (words: string[]): Vocabulary => ({
  rarity: (documents) => 1 / (1 + documents),
  count: (asked) => new Map(words.flatMap((word, at) => (asked.includes(word) ? [[word, at + 1]] : []))),
  withStems: (stems) => new Map(stems.map((stem) => [stem, words.filter((word) => stemOf(word) === stem)])),
  hasBeginning: (prefix) => words.some((word) => word.startsWith(prefix)),
  completions: () => null,
  similar: (word) => words.filter((other) => queryTypos(word, other, 1) === 1),
  hasText: (stems, others) => stems.includes('written') && !others.includes('both'),
})

const read = (text: string, ...words: string[]) => readQuery(parseSearchText(text), aVocabulary(words), synonyms)

/** A concept in short: the words, `*` unfinished, `?` unknown, then what else stands for them. */
const inShort = ({ tokens, isPrefix, isKnown, alternatives }: Concept) =>
  [
    `${tokens.join('+')}${isPrefix ? '*' : ''}${isKnown ? '' : '?'}`,
    ...alternatives.slice(1).map((each) => `${each.kind} ${each.tokens.join('+')}`),
  ].join(', ')

describe('readQuery', () => {
  test.each<[string, string[], string[]]>([
    ['my pdf reader of', ['pdf', 'reader'], ['pdf', 'reader']],
    ['how do i', [], ['how?', 'do?', 'i*?']],
    ['pdf rea', ['pdf', 'reader'], ['pdf', 'rea*']],
    ['scraping x', ['scraping', 'scraped', 'x'], ['scraping, form scraped', 'x*']],
    ['tabel x', ['table', 'tables', 'x'], ['tabel, typo table, typo tables', 'x*']],
    ['tabel written', ['table', 'written'], ['tabel?', 'written*']],
    ['boht written', ['both', 'written'], ['boht, typo both', 'written*']],
    ['wirtten', ['written'], ['wirtten*, typo written']],
    ['documentaiton x', ['document', 'documentation', 'x'], ['documentaiton, typo documentation, typo document', 'x*']],
    ['table x', ['tables', 'fable', 'x'], ['table, form tables', 'x*']],
    ['k8s x', ['kubernetes', 'x'], ['k8s, synonym kubernetes', 'x*']],
    ['vm x', ['virtual', 'machine', 'x'], ['vm, synonym virtual+machine', 'x*']],
    ['virtual machine', ['virtual', 'machine', 'vm'], ['virtual, synonym vm', 'machine*, synonym vm']],
    ['fast api', ['fast', 'api', 'fastapi'], ['fast, joined fastapi', 'api*, joined fastapi']],
    ['fastapi x', ['fast', 'api', 'x'], ['fastapi, split fast+api', 'x*']],
    ['node.js x', ['node', 'js', 'nodejs', 'x'], ['node+js, joined nodejs', 'x*']],
    ['"pdf reader" x', ['pdf', 'x'], ['pdf+reader?', 'x*']],
    ['データ分 x', ['x'], ['デ+ー?', 'ー+タ?', 'タ+分?', 'x*']],
  ])('%s', (text, words, concepts) => {
    expect(read(text, ...words).concepts.map(inShort)).toEqual(concepts)
  })

  test('a word informs the more, the rarer what stands for it is', () => {
    const words = ['kumquat', 'x', 'tool']
    const [rare, frequent, corrected, unknown] = read('kumquat tool tolo xyzzy of', ...words).concepts

    expect(rare?.rarity).toBeGreaterThan(frequent?.rarity ?? 1)
    expect(corrected?.rarity).toBe(frequent?.rarity)
    expect(unknown?.rarity).toBeGreaterThan(rare?.rarity ?? 1)
  })

  test('of many words the rarest count', () => {
    const words = Array.from({ length: 14 }, (_, at) => `word${String.fromCharCode(97 + at)}`)

    expect(read([...words].reverse().join(' '), ...words).concepts.map(({ tokens }) => tokens[0])).toEqual(
      words.slice(0, 10).reverse(),
    )
  })

  test('names are compared as written, then corrected, with function words and without separators', () => {
    expect(read('The fast/api', 'fast', 'api').names).toEqual(['thefastapi'])
    expect(read('the tabel', 'table').names).toEqual(['thetabel', 'thetable'])
  })
})
