import type { SearchParams } from 'meilisearch'
import { informativeTerms } from '../../../ranking/concepts.js'
import type { SearchTerm, SearchText } from '../../../ranking/interpret-query.js'
import { meaningScore } from '../../../ranking/merge-hits.js'
import { searchSettings } from '../../../search-settings.js'
import { stemOf, stemsOf } from '../../../text/analyze.js'
import { inGroups, type MeiliHit, type MeiliResponse } from './client.js'
import { stemQuery } from './documents.js'
import {
  countFacets,
  distinctCopies,
  type FacetDistribution,
  isNamed,
  isOneOf,
  type MeiliSearch,
  namedLimit,
  queryText,
  retrieved,
  stemsText,
  totalOf,
  withCondition,
} from './query.js'
import { textAttribute } from './settings.js'
import { linesOf, maxCandidates, type PlacedHit, stemsIn } from './weigh.js'

/** Skills found by words that are folded, and fused with the nearest: more of them would not reach the first pages. */
const maxOrdered = 60

/** The first hits of which one with all words is enough. */
const enoughComplete = 3

/** Words of a task that are looked for, the rarest ones; and skills that are read of each. */
const maxTaskWords = 30
const maxPerWord = 100

/** Skills with the most of what these words count that are put in order. */
const maxTaskHits = 90

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
  /** How much each stem informs; null: not known, since words were not counted. */
  rarity: Map<string, number> | null
  /** The query for matches by words of which more may follow; null: all were read. */
  words: SearchParams | null
  /** Matches by words, copies too. */
  total: number
  /** The facets of the matches by words, copies too. */
  facets: FacetDistribution[]
}

/** Reads the hits that are put in order here, the same ones for each page. */
export const readFirst = (search: MeiliSearch): Promise<FirstHits> =>
  search.text.isTask ? readForTask(search) : readForWords(search)

/**
 * The skills with most of what the rarest words of a task count, wherever they have them, and the nearest; with the texts
 * and the similarity of all. Meilisearch leaves out words in one order only, so that a skill which lacks the rarest one
 * would not be found by all others: each word is asked for by itself.
 */
async function readForTask(search: MeiliSearch): Promise<FirstHits> {
  const { query, text, conditions, meaning, counts, send, sendEach } = search
  const { terms, rarity } = await counts.rarest(text, send)
  const searched = terms.slice(0, maxTaskWords)
  const stems = [...new Set(searched.flatMap(({ tokens }) => stemsOf(tokens)))]
  const queries = stems.map((stem) => ({
    ...stemQuery(stem),
    filter: conditions,
    limit: maxPerWord,
    attributesToRetrieve: ['id'],
  }))
  const attributesToRetrieve = [...retrieved, textAttribute]
  const [[nearest], found] = await Promise.all([
    sendEach(nearestQueries(search).map((nearestQuery) => ({ ...nearestQuery, attributesToRetrieve }))),
    inGroups(queries, send),
  ])
  const sums = new Map<string, number>()
  for (const [at, { hits }] of found.entries()) {
    for (const { id } of hits) {
      sums.set(id, (sums.get(id) ?? 0) + (rarity.get(stems[at] ?? '') ?? 0))
    }
  }
  const byValue = [...sums].sort(([, a], [, b]) => b - a)
  const best = byValue.slice(0, maxTaskHits).map(([id]) => id)
  const withIds = [isOneOf('id', best)]
  const [worded] =
    best.length === 0
      ? []
      : await send([
          {
            ...(meaning === null
              ? { filter: withIds, limit: maxTaskHits }
              : nearestTo(meaning.vector, meaning.embedder, withIds, maxTaskHits)),
            ...distinctCopies(search),
            attributesToRetrieve,
          },
        ])
  const fields = worded?.hits ?? []
  const near = [...nearEnough(nearest), ...(meaning === null ? [] : nearEnough(worded))]
  return {
    named: [],
    worded: fields,
    texts: distinctHits([worded, nearest]),
    near: [...new Map(near.map((each) => [each.hit.id, each])).values()],
    text: { ...text, terms: searched },
    rarity,
    words: null,
    total: fields.length,
    facets: [countFacets(query.facets, fields)],
  }
}

async function readForWords(search: MeiliSearch): Promise<FirstHits> {
  const { query, text, counts, send, sendEach } = search
  const { facets } = query
  const maxNamed = namedLimit(search)
  const [named, worded, inText, nearest] = await sendEach([
    { ...withCondition(search, isNamed(text), maxNamed), facets },
    { ...withWords(search, text), limit: maxOrdered, facets },
    inTexts(search, text),
    ...nearestQueries(search),
  ])
  const isEmpty = totalOf(named) + totalOf(worded) === 0
  const anyWord = isEmpty ? await anyWordQuery(search, { ...withWords(search, text), limit: maxOrdered, facets }) : null
  const found = anyWord === null ? worded : (await send([anyWord]))[0]
  // Where no skill has all words, neither may the best one have the rarest, which Meilisearch does not leave out.
  const isComplete = (found?.hits ?? []).slice(0, enoughComplete).some((hit) => hasAllWords(hit, text))
  const needsMore = !isComplete && informativeTerms(text).informative.length > 1
  const { terms, rarity } = needsMore ? await counts.rarest(text, send) : { terms: [], rarity: null }
  const parts = [terms.slice(1), terms.slice(2)]
    .filter(({ length }) => length > 0)
    .map((each) => ({ ...text, terms: [...new Set([...phrasesOf(text), ...each])] }))
  const more = await sendEach(parts.flatMap((part) => [withWords(search, part), inTexts(search, part)]))
  const fields = distinctHits([found, ...more.filter((_, at) => at % 2 === 0)])
  const texts = distinctHits([inText, ...more.filter((_, at) => at % 2 === 1)])
  const areMore = (named?.hits.length ?? 0) >= maxNamed || (found?.hits.length ?? 0) >= maxOrdered
  return {
    named: named?.hits ?? [],
    worded: fields,
    texts: texts.filter((hit) => allows(text, hit)),
    near: nearEnough(nearest).filter(({ hit }) => allows(text, hit)),
    text,
    rarity,
    words: areMore ? (anyWord ?? withWords(search, text)) : null,
    total: totalOf(named) + totalOf(found),
    facets: [named?.facetDistribution ?? {}, found?.facetDistribution ?? {}],
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
 * The query, where it finds nothing, for skills with all phrases and any of the words: Meilisearch leaves out words of the
 * same frequency together.
 *
 * @returns null when there are no such skills
 */
export async function anyWordQuery(
  { text, conditions, send }: MeiliSearch,
  query: SearchParams,
): Promise<SearchParams | null> {
  const phrases = phrasesOf(text)
  const words = informativeTerms(text).informative.map((term) =>
    queryText({
      ...text,
      terms: [...new Set([...phrases, term])],
      lastIsPrefix: text.lastIsPrefix && term === text.terms.at(-1),
    }),
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
    .map((hit): NearHit => {
      const similarity = Math.round(cosineOf(hit._rankingScore ?? 0) * 1_000) / 1_000
      return { hit, placement: 'meaning', score: meaningScore(similarity), similarity }
    })
    .filter(({ similarity }) => similarity >= searchSettings.minSimilarity)

const phrasesOf = ({ terms }: Pick<SearchText, 'terms'>): SearchTerm[] => terms.filter(({ quoted }) => quoted)

/**
 * Whether a skill has the phrases of a text, in a field or their words in its text where the hit has that, and nothing that it
 * excludes: Meilisearch compares nothing but vectors, and leaves out words of texts.
 */
export function allows({ terms, excluded }: SearchText, hit: MeiliHit): boolean {
  const phrases = phrasesOf({ terms })
  if (phrases.length + excluded.length === 0) {
    return true
  }
  const lines = linesOf(hit)
  const stems = stemsIn(hit)
  const isInText = ({ tokens }: SearchTerm) => stemsOf(tokens).every((stem) => stems.includes(`;${stem};`))
  return (
    phrases.every((term) => contains(lines, term) || isInText(term)) && !excluded.some((term) => contains(lines, term))
  )
}

/** Whether a skill's words contain a phrase as Meilisearch finds it: a single word is also found by its stem. */
const contains = (lines: string, { tokens }: SearchTerm): boolean =>
  lines.includes(` ${tokens.join(' ')} `) ||
  (tokens.length === 1 && lines.split(/\s+/).some((word) => stemOf(word) === tokens[0]))
