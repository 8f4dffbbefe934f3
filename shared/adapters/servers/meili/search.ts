import type { SearchParams } from 'meilisearch'
import {
  type Placement,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  skillOf,
} from '../../../ports/search-index.js'
import { searchSettings } from '../../../search-settings.js'
import { informativeTerms, nameKey, type ReadQuery, readQuery } from '../../../text/concepts.js'
import { findSkillMatches, patternsOf } from '../../../text/find-matches.js'
import { parseSearchText, type SearchText } from '../../../text/parse-search-text.js'
import { entrySeparator } from '../../../text/skill-words.js'
import type { Synonyms } from '../../../text/synonyms.js'
import { allConcepts, placedScore, Weigher } from '../../../text/weigh.js'
import { CandidateWords, maxCandidates } from './candidates.js'
import { exactHash } from './documents.js'
import { facetsOf, type MeiliHit, type MeiliResponse, type MeiliTarget, multiSearch } from './multi-search.js'
import { equals, excludedText, filterConditions, isOneOf, queryText, sortOrder } from './query.js'

/** A search, prepared for Meilisearch. */
interface MeiliSearch {
  query: SearchQuery
  text: SearchText
  /** The query's filters: conditions that must all hold. */
  conditions: string[]
  synonyms: Synonyms
  /** Sends queries in one request. */
  send(queries: SearchParams[]): Promise<MeiliResponse[]>
}

/** Searches an index, seldom in more than one request; see the port. */
export async function searchSkills(
  { synonyms, ...target }: MeiliTarget & { synonyms: Synonyms },
  query: SearchQuery,
  timeoutMs: number,
): Promise<SearchPage> {
  const text = parseSearchText(query.text)
  if (text.terms.length + text.excluded.length === 0) {
    return { hits: [], total: 0, totalIsLowerBound: false, facets: facetsOf(query.facets) }
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const send = (queries: SearchParams[]) => multiSearch({ ...target, signal }, queries)
  const search = { query, text, conditions: filterConditions(query.filters), synonyms, send }
  const sort = sortOrder(query)
  return sort === null ? rankedPage(search) : sortedPage(search, sort)
}

/** Skills that have all words, in the order of a column; where there is none, those with some of the words. */
async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query, text, conditions } = search
  const sorted = (matchingStrategy: 'all' | 'frequency'): SearchParams => ({
    q: queryText(text),
    filter: conditions,
    matchingStrategy,
    sort,
    offset: query.offset,
    limit: query.limit,
    facets: query.facets,
    attributesToRetrieve: ['skill', 'lines'],
  })
  const [all, some] = await search.send([sorted('all'), sorted('frequency')])
  const response = totalOf(all) > 0 ? all : await orWithAnyWord(search, sorted('all'), some)
  const hits = response?.hits ?? []
  const read = readWith(search, hits)
  const places = placesOf(read)
  return pageOf(
    search,
    [response],
    hits.map((hit) => toHit(search, read, hit, { placement: places(hit).placement, score: null })),
  )
}

/** Skills with an exact name, the most starred ones: an exact `owner/repo` is expected among them. */
const maxNamed = 60

/** Skills best first: those whose `owner/repo` or name is the text, then those that Meilisearch finds, weighed here. */
async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query } = search
  const until = query.offset + query.limit
  const top = { from: 0, to: Math.max(until, maxCandidates) }
  const [exact, first] = await search.send([
    named(search, Math.max(until, maxNamed)),
    ...(query.offset < maxCandidates ? [unnamed(search, top)] : []),
  ])
  // Where a later page begins among the other skills depends on the number of the named ones.
  const before = totalOf(exact)
  const isTop = query.offset - before < maxCandidates
  const range = isTop ? top : { from: query.offset - before, to: until - before }
  const found = first ?? (await search.send([unnamed(search, range)]))[0]
  const rest = before > 0 ? found : await orWithAnyWord(search, unnamed(search, range), found)

  const [names, others] = [exact?.hits ?? [], rest?.hits ?? []]
  // No further than the page reaches: later skills are sorted page by page.
  const [weighed, later] = isTop
    ? [others.slice(0, maxCandidates), others.slice(maxCandidates, Math.max(maxCandidates, until - before))]
    : [[], others]
  // The words of the same skills for each of the first pages, so that these show one order.
  const read = readWith(search, isTop ? [...names.slice(0, maxCandidates), ...weighed] : later)
  const places = placesOf(read)
  const ordered = [
    ...(isTop ? [...names, ...weighed] : [])
      .map((hit) => ({ hit, ...places(hit) }))
      .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...later.map((hit) => ({ hit, ...unweighed(places(hit)) })).sort((a, b) => b.score - a.score),
  ]
  return pageOf(
    search,
    [exact, rest],
    (isTop ? ordered.slice(query.offset, until) : ordered).map(({ hit, ...place }) => toHit(search, read, hit, place)),
  )
}

const totalOf = (response: MeiliResponse | undefined): number => response?.estimatedTotalHits ?? 0

/**
 * The response, or, where it is empty, that to the query for skills with any of the words: Meilisearch leaves out words
 * of the same frequency together.
 */
async function orWithAnyWord(
  { text, conditions, send }: MeiliSearch,
  query: SearchParams,
  response: MeiliResponse | undefined,
): Promise<MeiliResponse | undefined> {
  const words = informativeTerms(text).informative.map((term) =>
    queryText({ ...text, terms: [term], lastIsPrefix: text.lastIsPrefix && term === text.terms.at(-1) }),
  )
  if (totalOf(response) > 0 || words.length < 2) {
    return response
  }
  const found = await send(
    words.map((q) => ({ q, filter: conditions, limit: maxCandidates, attributesToRetrieve: ['id'] })),
  )
  const ids = new Set(found.flatMap(({ hits }) => hits.map(({ id }) => id)))
  return ids.size === 0 ? response : (await send([{ ...query, q: '', filter: isOneOf(ids) }]))[0]
}

/** The place of a skill in the order of Meilisearch: below the weighed ones. */
const unweighed = ({ placement }: Place): Place =>
  placement === 'some words' ? { placement, score: 0 } : { placement: 'all words', score: allConcepts }

/** The condition for skills whose `owner/repo` or name is the text. */
function isNamed({ terms }: SearchText): string {
  const key = exactHash(nameKey(terms.flatMap(({ tokens }) => tokens)))
  return terms.length === 0 ? '(id NOT EXISTS)' : `(${equals('idHash', key)} OR ${equals('nameHashes', key)})`
}

const retrieved = { attributesToRetrieve: ['skill', 'lines', 'rank'] }

/** Skills whose `owner/repo` or name is the text, the most starred first. */
const named = ({ query, text, conditions }: MeiliSearch, limit: number): SearchParams => ({
  q: excludedText(text),
  filter: [...conditions, isNamed(text)],
  limit,
  facets: query.facets,
  ...retrieved,
})

/** The other skills with words of the text. */
const unnamed = ({ query, text, conditions }: MeiliSearch, range: { from: number; to: number }): SearchParams => ({
  q: queryText(text),
  matchingStrategy: 'frequency',
  filter: [...conditions, `NOT ${isNamed(text)}`],
  offset: range.from,
  limit: range.to - range.from,
  facets: query.facets,
  ...retrieved,
})

const readWith = ({ text, synonyms }: MeiliSearch, hits: MeiliHit[]): ReadQuery =>
  readQuery(text, new CandidateWords(hits.map(linesOf)), synonyms)

/** An index that was built by an earlier version lacks them; it is being replaced. */
const linesOf = ({ lines }: Partial<MeiliHit>): string => lines ?? ''

interface Place {
  placement: Placement
  score: number
}

/** Where a hit is placed, and its score. */
function placesOf(read: ReadQuery): (hit: MeiliHit) => Place {
  const weigher = new Weigher(read)
  return (hit) => {
    const lines = linesOf(hit)
    const name = placedByName(lines, read.names)
    if (name !== null) {
      return name
    }
    const fitness = weigher.weigh(lines)
    return {
      placement: fitness.found === read.concepts.length ? 'all words' : 'some words',
      score: placedScore(fitness, read.concepts.length),
    }
  }
}

/** The place of a skill whose `owner/repo` or name is one of these; null: none is. */
function placedByName(lines: string, names: string[]): Place | null {
  const [nameLine = '', repoLine = '', , , ownerLine = ''] = lines.split('\n')
  const [name, repo, owner] = [wholeName(nameLine), wholeName(repoLine), wholeName(ownerLine)]
  if (names.includes(owner + repo)) {
    return { placement: 'owner/repo', score: 1 }
  }
  if (names.includes(name)) {
    return { placement: 'name', score: 0.99 }
  }
  return names.includes(repo) ? { placement: 'name', score: 0.98 } : null
}

/** A line as a name is compared, without the parts of camel-case words. */
function wholeName(line: string): string {
  const separator = line.indexOf(` ${entrySeparator} `)
  return (separator === -1 ? line : line.slice(0, separator)).replaceAll(' ', '')
}

const toHit = (
  { query }: MeiliSearch,
  read: ReadQuery,
  hit: MeiliHit,
  { placement, score }: { placement: Placement; score: number | null },
): SearchHit => ({
  record: hit.skill,
  score,
  matches: query.highlight ? findSkillMatches(skillOf({ record: hit.skill }), patternsOf(read)) : null,
  explanation: query.explain ? { placement, words: new Weigher(read).explain(linesOf(hit)) } : null,
})

/** @param responses to queries whose matches are different skills */
function pageOf({ query }: MeiliSearch, responses: (MeiliResponse | undefined)[], hits: SearchHit[]): SearchPage {
  const total = responses.reduce((sum, response) => sum + totalOf(response), 0)
  return {
    hits,
    total: Math.min(total, searchSettings.maxReach),
    totalIsLowerBound: total >= searchSettings.maxReach,
    facets: facetsOf(
      query.facets,
      responses.map((response) => response?.facetDistribution ?? {}),
    ),
  }
}
