import type { FoundWord, MatchKind } from '../ports/search-index.js'
import { searchSettings } from '../search-settings.js'
import { nameKey, stemOf, stemsOf } from '../text/analyze.js'
import { type SearchTerm, type SearchText, stopWordsIn } from './interpret-query.js'
import { isCorrectable, isWord, noOthers, type OtherWords, otherWords, type Synonyms } from './other-words.js'

/** Words in a row that a concept is found by. */
interface Alternative {
  tokens: string[]
  kind: MatchKind
}

/** A word or a phrase of a query, with all that stands for it. */
export interface Concept {
  /** The words of the query, folded. */
  tokens: string[]
  /** The best first; the first is the words themselves. */
  alternatives: Alternative[]
  /** Whether its last word may be unfinished: it is then also found by words that it begins. */
  isPrefix: boolean
  /** The words that it begins which are searched; null: all of them. Only where `isPrefix`. */
  completions: string[] | null
  /** How much it informs: the rarer, the more. */
  rarity: number
  /** Whether the index has one of the alternatives. */
  isKnown: boolean
}

/** A query, read with the words of an index. */
export interface ReadQuery {
  /** The words of the query, function words too, since a name may consist of them; none of a task, which is no name. */
  words: string[]
  /** Whether the last word may be unfinished. */
  lastIsPrefix: boolean
  /** The concepts that skills are searched by, in the order of the query. */
  concepts: Concept[]
  /** The words of a task that no field has: only texts may have them. */
  unknown: Concept[]
  /** See `SearchText`. */
  isTask: boolean
  /** The texts that a name may be equal to, as `nameKey` makes them: as written, then corrected. */
  names: string[]
  /** See `SearchText`. */
  repository: string | null
  /** How often its words occur in documents: what a search for them reads. */
  occurrences: number
}

/** The words of an index. */
export interface Vocabulary {
  /** How much words in a row inform that this number of documents contain; more than 0. */
  rarity(documents: number, tokens: readonly string[]): number
  /** The number of documents of each of `words` that the index has. */
  count(words: string[]): Map<string, number>
  /** The words of each stem, the most frequent first. */
  withStems(stems: string[]): Map<string, string[]>
  /** Whether a word begins with this. */
  hasBeginning(prefix: string): boolean
  /** The words to search for in place of a beginning that too many documents have; null: search for the beginning. */
  completions(prefix: string): string[] | null
  /** The words with the fewest typos from this, the most frequent first. */
  similar(word: string): string[]
  /** Whether the text of a skill has all of these stems, and none of `others`. */
  hasText(stems: string[], others: string[]): boolean
}

const { maxConcepts, maxTaskConcepts, maxForms, maxCorrections, finishedFrom } = searchSettings

/**
 * Reads a query with the words of an index: which of its words inform, what else stands for each of them, and how rare
 * that is. Words that the index does not have are corrected.
 */
export function readQuery(text: SearchText, vocabulary: Vocabulary, synonyms: Synonyms): ReadQuery {
  const { terms, informative } = informativeTerms(text)
  const { isTask } = text
  const others = informative.map((term) => otherWords(term, terms, synonyms, isTask))
  const known = knownWords(informative, others, vocabulary)
  const read = informative.map((term, at) => readTerm(term, others[at] ?? noOthers, known))
  const unfinished = text.lastIsPrefix ? terms.at(-1) : undefined
  const all = informative.map((term, at): Concept => {
    const alternatives = read[at] ?? []
    const isPrefix = term === unfinished && isWord(term) && frequencyOf(term.tokens, known) < finishedFrom
    const found = isKnown(term, alternatives, known) || (isPrefix && vocabulary.hasBeginning(term.tokens[0] ?? ''))
    const corrections = found || isTask || !isWord(term) ? [] : correctionsOf(term, informative, known, vocabulary)
    const documents = Math.max(...[...alternatives, ...corrections].map(({ tokens }) => frequencyOf(tokens, known)))
    return {
      tokens: term.tokens,
      alternatives: distinct([...alternatives, ...corrections]),
      isPrefix,
      completions: isPrefix ? vocabulary.completions(term.tokens[0] ?? '') : null,
      rarity: vocabulary.rarity(documents, term.tokens),
      isKnown: found || corrections.length > 0 || alternatives.length > 1,
    }
  })
  const corrected = new Map(
    informative.map((term, at) => [term, all[at]?.alternatives.find(({ kind }) => kind === 'typo')?.tokens]),
  )
  const byRarity = [...all].sort((a, b) => b.rarity - a.rarity)
  const rarest = new Set(
    isTask ? byRarity.filter(({ isKnown }) => isKnown).slice(0, maxTaskConcepts) : byRarity.slice(0, maxConcepts),
  )
  return {
    words: isTask ? [] : terms.filter(isWord).flatMap(({ tokens }) => tokens),
    lastIsPrefix: text.lastIsPrefix,
    concepts: all.filter((concept) => rarest.has(concept)),
    unknown: isTask ? all.filter(({ isKnown }) => !isKnown).slice(0, maxTaskConcepts) : [],
    isTask,
    names: [
      ...new Set([
        nameKey(text.terms.flatMap(({ tokens }) => tokens)),
        nameKey(text.terms.flatMap((term) => corrected.get(term) ?? term.tokens)),
      ]),
    ],
    repository: text.repository,
    occurrences: all
      .flatMap(({ alternatives }) => alternatives.flatMap(({ tokens }) => tokens))
      .reduce((sum, word) => sum + (known.documents.get(word) ?? 0), 0),
  }
}

/** The same query for skills that all have all of its concepts: none informs more than another. */
export const withEqualRarity = (read: ReadQuery): ReadQuery => ({
  ...read,
  concepts: read.concepts.map((concept) => ({ ...concept, rarity: 1 })),
})

/** The words of an index that are of interest for a query. */
interface KnownWords {
  /** The number of documents, by word. */
  documents: Map<string, number>
  /** The words that have a stem, by stem. */
  forms: Map<string, string[]>
}

function knownWords(terms: SearchTerm[], others: OtherWords[], vocabulary: Vocabulary): KnownWords {
  const words = new Set([
    ...terms.flatMap(({ tokens }) => tokens),
    ...others.flatMap(({ synonyms, joined, splits }) => [...synonyms.flat(), ...joined, ...splits.flat()]),
  ])
  const inflected = [...terms.filter(isWord).map(({ tokens }) => tokens), ...others.flatMap(({ synonyms }) => synonyms)]
  const single = inflected.filter(({ length }) => length === 1).flat()
  return {
    documents: vocabulary.count([...words]),
    forms: vocabulary.withStems([...new Set(single.map(stemOf))]),
  }
}

/** The term itself, and what the index has that stands for it. */
function readTerm(term: SearchTerm, others: OtherWords, known: KnownWords): Alternative[] {
  const as = (kind: MatchKind, found: string[][]): Alternative[] => found.map((tokens) => ({ tokens, kind }))
  const has = (word: string) => known.documents.has(word)
  return distinct([
    { tokens: term.tokens, kind: 'exact' },
    ...as(
      'joined',
      others.joined.filter(has).map((word) => [word]),
    ),
    ...as('form', isWord(term) ? formsOf(term.tokens, known) : []),
    ...as('split', bestSplit(others.splits, known)),
    ...others.synonyms.flatMap((name) => as('synonym', [...(name.every(has) ? [name] : []), ...formsOf(name, known)])),
  ])
}

/** The inflections of a single word, itself excluded. */
function formsOf(tokens: string[], { forms }: KnownWords): string[][] {
  const [word = ''] = tokens
  return tokens.length > 1
    ? []
    : (forms.get(stemOf(word)) ?? [])
        .filter((form) => form !== word)
        .slice(0, maxForms)
        .map((form) => [form])
}

/** Whether the index has a term. The parts of a split may be words that are neighbours nowhere. */
const isKnown = ({ tokens }: SearchTerm, alternatives: Alternative[], { documents }: KnownWords): boolean =>
  tokens.every((word) => documents.has(word)) || alternatives.some(({ kind }) => kind !== 'exact' && kind !== 'split')

/**
 * The words that a misspelled one may mean, with their inflections; they become known. None where a text has all words of
 * the query as they are written, and not what this one may mean: it is then another word, of texts alone.
 */
function correctionsOf(
  { tokens }: SearchTerm,
  informative: SearchTerm[],
  known: KnownWords,
  vocabulary: Vocabulary,
): Alternative[] {
  const [word = ''] = tokens
  const corrections = isCorrectable(word) ? vocabulary.similar(word).slice(0, maxCorrections) : []
  const written = informative.flatMap((term) => stemsOf(term.tokens))
  const isWritten = corrections.length > 0 && written.length > 1 && vocabulary.hasText(written, corrections.map(stemOf))
  if (corrections.length === 0 || isWritten) {
    return []
  }
  for (const [correction, documents] of vocabulary.count(corrections)) {
    known.documents.set(correction, documents)
  }
  const forms = [...vocabulary.withStems([...new Set(corrections.map(stemOf))]).values()].flat()
  return [...corrections, ...forms.slice(0, maxForms)].map((correction) => ({ tokens: [correction], kind: 'typo' }))
}

/** Each text once, in its first place and of its first kind. */
function distinct(alternatives: Alternative[]): Alternative[] {
  const first = new Map<string, Alternative>()
  for (const each of alternatives) {
    const text = each.tokens.join(' ')
    first.set(text, first.get(text) ?? each)
  }
  return [...first.values()]
}

/**
 * The terms of a text, runs of scripts without spaces divided into pairs of characters; and those that inform. Where
 * none does, all count.
 */
export function informativeTerms(text: SearchText): { terms: SearchTerm[]; informative: SearchTerm[] } {
  const terms = text.terms.flatMap(pairsOfUnspaced)
  const stopWords = stopWordsIn(
    terms.filter(isWord).flatMap(({ tokens }) => tokens),
    text.isTask,
  )
  const informative = terms.filter((term) => !isWord(term) || !term.tokens.every((word) => stopWords.has(word)))
  return { terms, informative: informative.length > 0 ? informative : terms }
}

/** Characters of a run that are read: a query has no more. */
const maxRun = 200

/** A run of a script without spaces as its pairs of characters: a text need not contain the whole run. */
const pairsOfUnspaced = (term: SearchTerm): SearchTerm[] =>
  term.quoted || term.tokens.length < 3
    ? [term]
    : term.tokens.slice(1, maxRun).map((token, at) => ({ tokens: [term.tokens[at] ?? '', token], quoted: false }))

/** The split whose rarer part is the most frequent. */
const bestSplit = (splits: string[][], known: KnownWords): string[][] =>
  splits
    .filter((split) => frequencyOf(split, known) > 0)
    .sort((a, b) => frequencyOf(b, known) - frequencyOf(a, known))
    .slice(0, 1)

/** At most the number of documents with these words in a row. */
const frequencyOf = (tokens: string[], { documents }: KnownWords): number =>
  Math.min(...tokens.map((token) => documents.get(token) ?? 0))

/**
 * By what a concept is found in a text: one of these lists, of which the text has all stems. Neither corrections nor
 * beginnings of words: among the many words of texts they find too much.
 */
export function stemsOfConcept({ alternatives }: Concept): string[][] {
  const lists = alternatives
    .filter(({ kind }) => kind === 'exact' || kind === 'joined' || kind === 'synonym')
    .map(({ tokens }) => stemsOf(tokens))
    .filter((stems) => stems.length > 0)
  return [...new Map(lists.map((stems) => [stems.join(' '), stems])).values()]
}

/**
 * What the text of a skill adds to its fields.
 *
 * @param words how each concept is found in the fields
 * @param inText the concepts that the text has
 * @returns the words, those found too that only the text has; and the stems of these
 */
export function withText(
  { concepts, unknown }: ReadQuery,
  words: FoundWord[],
  inText: readonly Concept[],
): { words: FoundWord[]; stems: string[] } {
  if (inText.length === 0) {
    return { words, stems: [] }
  }
  const isOnlyInText = concepts.map((concept, at) => words[at]?.match === null && inText.includes(concept))
  const found = [
    ...concepts.filter((_, at) => isOnlyInText[at]),
    ...unknown.filter((concept) => inText.includes(concept)),
  ]
  return {
    words: words.map((word, at) => (isOnlyInText[at] ? { ...word, match: { kind: 'exact', field: 'text' } } : word)),
    stems: [...new Set(found.flatMap((concept) => stemsOfConcept(concept).flat()))],
  }
}
