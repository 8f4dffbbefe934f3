import { setMaxListeners } from 'node:events'
import type { SearchParams } from 'meilisearch'
import type { Vector } from '../../../ports/embedder.js'
import type { Placement, RelatedSkill, SearchPage, SearchQuery } from '../../../ports/search-index.js'
import { readQuery, withEqualRarity } from '../../../ranking/concepts.js'
import { idBeginning } from '../../../ranking/find-matches.js'
import { parsePlainText, parseSearchText, type SearchText } from '../../../ranking/interpret-query.js'
import { firstOfRepositories, othersThanCopies, sketchIn } from '../../../ranking/merge-hits.js'
import type { Synonyms } from '../../../ranking/other-words.js'
import { Weigher } from '../../../ranking/weigh.js'
import { type Skill, skillOf } from '../../../records/skill.js'
import { searchSettings } from '../../../search-settings.js'
import { isUnspaced, nameKey, wordsIn } from '../../../text/analyze.js'
import type { WordCounts } from './caches.js'
import { type MeiliHit, type MeiliTarget, multiSearch } from './client.js'
import { completionWord, exactHash, isZero, readVector, roundedVector } from './documents.js'
import { nearEnough, nearestTo } from './first-hits.js'
import { rankedPage, semanticPage, sortedPage } from './pages.js'
import { equals, facetsOf, filterConditions, isOneOf, type MeiliSearch, sortOrder, startsWith } from './query.js'
import { CandidateWords } from './weigh.js'

/** Where and how searches are made. */
export interface SearchTarget extends MeiliTarget {
  synonyms: Synonyms
  counts: WordCounts
  /** The embedder of the vectors of queries; null: there are none. */
  embedder: string | null
  /** Milliseconds for all requests of a search together. */
  timeoutMs: number
}

/** Searches an index; see the port. */
export async function searchSkills(
  { synonyms, counts, embedder, timeoutMs, ...target }: SearchTarget,
  query: SearchQuery,
): Promise<SearchPage> {
  const text = parseSearchText(query.text)
  if (text.terms.length + text.excluded.length === 0) {
    // Nothing means what has no words: that is no fault.
    const byMeaning = query.meaning !== null
    return { hits: [], total: 0, totalIsLowerBound: false, facets: facetsOf(query.facets), byMeaning }
  }
  const signal = AbortSignal.timeout(timeoutMs)
  // Each request of the search listens to it.
  setMaxListeners(0, signal)
  const send = (queries: SearchParams[]) => multiSearch({ ...target, signal }, queries)
  const meaning = text.terms.length === 0 ? null : meaningOf(query, embedder)
  const search: MeiliSearch = {
    query,
    text,
    conditions: filterConditions(query.filters),
    meaning,
    synonyms,
    counts,
    send,
    sendEach: async (queries) => (await Promise.all(queries.map((each) => send([each])))).flat(),
  }
  return query.distinct === undefined ? pageOf(search) : distinctPage(search)
}

function pageOf(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const sort = sortOrder(query)
  if (sort !== null) {
    return sortedPage(search, sort)
  }
  return meaning?.alone ? semanticPage(search, meaning) : rankedPage(search)
}

/**
 * The best hit of each repository. All hits that pages reach are read for it: Meilisearch leaves out by one attribute of a
 * search only, which is that of the copies, and would not say how many it leaves out.
 */
async function distinctPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, conditions, send } = search
  const { offset, limit, facets } = query
  const all = { ...query, offset: 0, limit: searchSettings.maxReach, facets: [] }
  const page = await pageOf({ ...search, query: all })
  const first = firstOfRepositories(page.hits, (hit) => skillOf(hit).id)
  const ids = facets.length === 0 ? [] : first.map((hit) => skillOf(hit).id)
  const [counted] =
    ids.length === 0 ? [] : await send([{ filter: [...conditions, isOneOf('id', ids)], facets, limit: 0 }])
  return {
    ...page,
    hits: first.slice(offset, offset + limit),
    total: first.length,
    facets: facetsOf(facets, [counted?.facetDistribution ?? {}]),
  }
}

/** Null where the words decide: no skill is near to a text of words that the model does not know. */
function meaningOf({ meaning, sort }: SearchQuery, embedder: string | null): MeiliSearch['meaning'] {
  const vector: Vector | null = sort === 'relevance' ? (meaning?.vector ?? null) : null
  return meaning === null || vector === null || embedder === null || isZero(vector)
    ? null
    : { vector: roundedVector(vector), embedder, alone: meaning.alone }
}

/** The skills that are nearest to this one; see the port. Its own copies are not related, they are the same. */
export async function relatedSkills(
  { embedder, timeoutMs, ...place }: SearchTarget,
  id: string,
  limit: number,
): Promise<RelatedSkill[]> {
  const target = { ...place, signal: AbortSignal.timeout(timeoutMs) }
  if (embedder === null) {
    return []
  }
  const [own] = await multiSearch(target, [
    {
      filter: equals('id', id),
      limit: 1,
      retrieveVectors: true,
      attributesToRetrieve: ['copyKey', 'sketch', '_vectors'],
    },
  ])
  const [skill] = own?.hits ?? []
  const vector = readVector(skill?._vectors, embedder)
  if (vector === null) {
    return []
  }
  const copyKey: unknown = skill?.copyKey
  const others = [
    `NOT ${equals('id', id)}`,
    ...(typeof copyKey === 'string' ? [`NOT ${equals('copyKey', copyKey)}`] : []),
  ]
  // The search by vectors is approximate: asked for a few, Meilisearch misses some of the nearest.
  const looked = Math.max(limit, searchSettings.maxNearest)
  const [nearest] = await multiSearch(target, [
    { ...nearestTo(roundedVector(vector), embedder, others, looked), distinct: 'copyKey' },
  ])
  return othersThanCopies(sketchIn(skill?.sketch), nearEnough(nearest), ({ hit }) => sketchIn(hit.sketch))
    .slice(0, limit)
    .map(({ hit, similarity }) => ({ record: hit.skill, similarity }))
}

/** Completions that are read, the most starred ones, and put in order here. */
const maxWeighed = 60

/**
 * Skills that complete the typed text; see the port. They are found by filters, whose results Meilisearch sorts by
 * popularity; where no name has the words, by a search.
 */
export async function suggest(target: SearchTarget, typed: string, limit: number): Promise<Skill[]> {
  const text = parsePlainText(typed)
  const key = nameKey(wordsIn(typed))
  const idPrefix = idBeginning(typed)
  const withWords = (attributes: string[]): SearchParams => ({
    filter: text.terms.map((term) => hasWord(attributes, term.tokens, text.lastIsPrefix && term === text.terms.at(-1))),
    limit: maxWeighed,
  })
  const first: SearchParams[] = [
    ...(key === ''
      ? []
      : [
          { filter: equals('idHash', exactHash(key)), limit: 1 },
          { filter: equals('nameHashes', exactHash(key)), limit: 1 },
        ]),
    ...(idPrefix === null ? [] : [{ filter: startsWith('id', idPrefix), limit }]),
  ]
  const worded = text.terms.length === 0 ? [] : [withWords(['nameWords']), withWords(['nameWords', 'ownerWords'])]
  if (first.length + worded.length === 0) {
    return []
  }
  const responses = await multiSearch(
    target,
    [...first, ...worded].map((query) => ({ attributesToRetrieve: ['skill', 'lines', 'rank'], ...query })),
  )
  const found = responses.flatMap(({ hits }, at) =>
    // The first two letters say little: the most starred are the likeliest.
    at < first.length || ([...typed].length < 3 && !isUnspaced(typed)) ? hits : weighed(hits, text, target.synonyms),
  )
  const skills = distinct(found.map((hit) => skillOf({ record: hit.skill })))
  const areNamed = (responses[first.length]?.hits ?? []).length > 0
  if (areNamed || skills.length >= limit || text.terms.length === 0) {
    return skills.slice(0, limit)
  }
  // Folded words have no syntax.
  const words = text.terms.map(({ tokens }) => tokens.join(isUnspaced(tokens[0] ?? '') ? '' : ' ')).join(' ')
  const { hits } = await searchSkills(target, { ...everySkill, text: words, limit })
  const others = hits.filter(({ explanation }) => hasAllWords(explanation?.placement)).map(skillOf)
  return distinct([...skills, ...others]).slice(0, limit)
}

const hasAllWords = (placement: Placement | undefined): boolean =>
  placement === 'owner/repo' || placement === 'name' || placement === 'all words'

const everySkill = {
  filters: {},
  sort: 'relevance',
  order: 'desc',
  offset: 0,
  facets: [],
  meaning: null,
  fold: false,
  highlight: false,
  explain: true,
} as const satisfies Partial<SearchQuery>

function weighed(hits: MeiliHit[], text: SearchText, synonyms: Synonyms): MeiliHit[] {
  const read = withEqualRarity(readQuery(text, new CandidateWords(hits.map(({ lines }) => lines)), synonyms))
  const weigher = new Weigher(read)
  return hits
    .map((hit) => ({ hit, score: weigher.weigh(hit.lines).score }))
    .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank)
    .map(({ hit }) => hit)
}

/** A condition for skills that have a word, or a sequence of unspaced characters, in one of these attributes. */
function hasWord(attributes: string[], tokens: string[], unfinished: boolean): string {
  const compare = unfinished || isUnspaced(tokens[0] ?? '') ? startsWith : equals
  return attributes.map((attribute) => compare(attribute, completionWord(tokens))).join(' OR ')
}

const distinct = (found: Skill[]): Skill[] => [...new Map(found.map((skill) => [skill.id, skill])).values()]
