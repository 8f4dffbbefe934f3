import type { SearchParams } from 'meilisearch'
import { informativeTerms } from '../../../ranking/concepts.js'
import { meaningScore } from '../../../ranking/copies.js'
import type { SearchTerm, SearchText } from '../../../ranking/interpret-query.js'
import { searchSettings } from '../../../search-settings.js'
import { stemOf } from '../../../text/analyze.js'
import type { MeiliHit, MeiliResponse } from './client.js'
import {
  countFacets,
  distinctCopies,
  type FacetDistribution,
  isNamed,
  isOneOf,
  type MeiliSearch,
  maxNamed,
  queryText,
  retrieved,
  stemsText,
  totalOf,
  withCondition,
} from './query.js'
import { textAttribute } from './settings.js'
import { linesOf, maxCandidates, type PlacedHit } from './weigh.js'

/** Skills found by words that are folded, and fused with the nearest: more of them would not reach the first pages. */
const maxOrdered = 60

/** The first hits of which one with all words is enough. */
const enoughComplete = 3

/** What the first requests have found. */
export interface FirstHits {
  /** The hits whose `owner/repo` or name is the text. */
  named: MeiliHit[]
  /** The other ones with words of the text, in the order of Meilisearch. */
  worded: MeiliHit[]
  near: NearHit[]
  /** The hits whose SKILL.md has the rarest words of the search. */
  texts: MeiliHit[]
  /** The text with the terms that were searched: of a task the rarest. */
  text: SearchText
  /** How much each stem of a task informs; null: the text is no task. */
  rarity: Map<string, number> | null
  /** The query for matches by words of which more may follow; null: all were read. */
  words: SearchParams | null
  /** Matches by words, copies too. */
  total: number
  /** The facets of the matches by words, copies too. */
  facets: FacetDistribution[]
}

/** Reads the hits that are put in order here, the same ones for each page. */
export async function readFirst(search: MeiliSearch): Promise<FirstHits> {
  const { query, text, counts, send, sendEach } = search
  const { facets } = query
  const namedLimit = Math.max(query.offset + query.limit, maxNamed)
  const byWords = text.isTask ? [] : [{ ...withWords(search, text), limit: maxOrdered, facets }, inTexts(search, text)]
  const [named, ...others] = await sendEach([
    { ...withCondition(search, isNamed(text), namedLimit), facets },
    ...byWords,
    ...nearestQueries(search),
  ])
  const [worded, inText] = text.isTask ? [] : others
  const nearest = others[byWords.length]
  const isEmpty = !text.isTask && totalOf(named) + totalOf(worded) === 0
  const anyWord = isEmpty ? await anyWordQuery(search, { ...withWords(search, text), limit: maxOrdered, facets }) : null
  const found = anyWord === null ? worded : (await send([anyWord]))[0]
  // Where no skill has all words, neither may the best one have the rarest, which Meilisearch does not leave out.
  const isComplete = (found?.hits ?? []).slice(0, enoughComplete).some((hit) => hasAllWords(hit, text))
  const needsMore = text.isTask || (!isComplete && informativeTerms(text).informative.length > 1)
  const { parts, rarity } = needsMore ? await counts.rarestParts(text, send) : { parts: [], rarity: null }
  const more = await sendEach(parts.flatMap((part) => [withWords(search, part), inTexts(search, part)]))
  const fields = distinctHits([found, ...more.filter((_, at) => at % 2 === 0)])
  const texts = distinctHits([inText, ...more.filter((_, at) => at % 2 === 1)])
  const areMore = (named?.hits.length ?? 0) >= namedLimit || (found?.hits.length ?? 0) >= maxOrdered
  return {
    named: named?.hits ?? [],
    worded: fields,
    texts: texts.filter((hit) => allows({ ...text, terms: [] }, hit)),
    near: nearEnough(nearest).filter(({ hit }) => allows(text, hit)),
    text: text.isTask ? { ...text, terms: parts.flatMap(({ terms }) => terms) } : text,
    rarity,
    words: areMore ? (anyWord ?? withWords(search, text)) : null,
    total: totalOf(named) + (text.isTask ? fields.length : totalOf(found)),
    facets: [
      named?.facetDistribution ?? {},
      text.isTask ? countFacets(facets, fields) : (found?.facetDistribution ?? {}),
    ],
  }
}

/** Whether the words of a skill's fields are all that a text asks for. */
const hasAllWords = (hit: MeiliHit, text: SearchText): boolean =>
  informativeTerms(text).informative.every((term) => contains(linesOf(hit), term))

/** The query for the skills with the words in their fields, without those whose name is the text. */
const withWords = ({ text, conditions }: MeiliSearch, part: SearchText): SearchParams => ({
  q: queryText(part),
  matchingStrategy: 'frequency',
  filter: [...conditions, `NOT ${isNamed(text)}`],
  limit: maxCandidates,
  attributesToRetrieve: retrieved,
})

/** The query for the skills that are nearest to the meaning; none where that does not count. */
const nearestQueries = (search: MeiliSearch): SearchParams[] =>
  search.meaning === null
    ? []
    : [
        {
          ...nearestTo(search.meaning.vector, search.meaning.embedder, search.conditions, searchSettings.maxNearest),
          ...distinctCopies(search),
        },
      ]

const distinctHits = (responses: (MeiliResponse | undefined)[]): MeiliHit[] => [
  ...new Map(responses.flatMap((each) => (each?.hits ?? []).map((hit) => [hit.id, hit] as const))).values(),
]

/** The query for the skills with the words in their texts. */
const inTexts = (search: MeiliSearch, part: SearchText): SearchParams => ({
  q: stemsText(part),
  attributesToSearchOn: [textAttribute],
  matchingStrategy: 'frequency',
  filter: search.conditions,
  limit: maxCandidates,
  attributesToRetrieve: [...retrieved, textAttribute],
  ...distinctCopies(search),
})

/**
 * The query, where it finds nothing, for skills with any of the words: Meilisearch leaves out words of the same
 * frequency together.
 *
 * @returns null when there are no such skills
 */
export async function anyWordQuery(
  { text, conditions, send }: MeiliSearch,
  query: SearchParams,
): Promise<SearchParams | null> {
  const words = informativeTerms(text).informative.map((term) =>
    queryText({ ...text, terms: [term], lastIsPrefix: text.lastIsPrefix && term === text.terms.at(-1) }),
  )
  if (words.length < 2) {
    return null
  }
  const found = await send(
    words.map((q) => ({ q, filter: conditions, limit: maxCandidates, attributesToRetrieve: ['id'] })),
  )
  const ids = new Set(found.flatMap(({ hits }) => hits.map(({ id }) => id)))
  return ids.size === 0 ? null : { ...query, q: '', filter: [...conditions, isOneOf('id', ids)] }
}

/** A hit that is near to a meaning. */
export interface NearHit extends PlacedHit {
  placement: 'meaning'
  similarity: number
}

/**
 * The query for the skills that are nearest to a vector. Meilisearch could leave out those below a score itself, but
 * then it compares every vector of the index.
 */
export const nearestTo = (vector: number[], embedder: string, filter: string[], limit: number): SearchParams => ({
  vector,
  hybrid: { embedder, semanticRatio: 1 },
  filter,
  limit,
  showRankingScore: true,
  attributesToRetrieve: retrieved,
})

/** The cosine of two vectors from the score that Meilisearch gives it: 0 for opposite directions, 1 for equal ones. */
const cosineOf = (rankingScore: number): number => 2 * rankingScore - 1

/** The hits of a query for the nearest that are near enough, the nearest first. Documents without a vector come last. */
export const nearEnough = (response: MeiliResponse | undefined): NearHit[] =>
  (response?.hits ?? [])
    .map((hit) => nearHit(hit, Math.round(cosineOf(hit._rankingScore ?? 0) * 1_000) / 1_000))
    .filter(({ similarity }) => similarity >= searchSettings.minSimilarity)

const nearHit = (hit: MeiliHit, similarity: number): NearHit => ({
  hit,
  placement: 'meaning',
  score: meaningScore(similarity),
  similarity,
})

/** Whether a skill has the phrases of a text, and nothing that it excludes: Meilisearch compares nothing but vectors. */
export function allows({ terms, excluded }: SearchText, hit: MeiliHit): boolean {
  const phrases = terms.filter(({ quoted }) => quoted)
  if (phrases.length + excluded.length === 0) {
    return true
  }
  const lines = linesOf(hit)
  return phrases.every((term) => contains(lines, term)) && !excluded.some((term) => contains(lines, term))
}

/** Whether a skill's words contain a phrase as Meilisearch finds it: a single word is also found by its stem. */
const contains = (lines: string, { tokens }: SearchTerm): boolean =>
  lines.includes(` ${tokens.join(' ')} `) ||
  (tokens.length === 1 && lines.split(/\s+/).some((word) => stemOf(word) === tokens[0]))
