import type { Meilisearch, SearchParams } from 'meilisearch'
import type { SearchHit, SearchPage, SearchQuery } from '../../../ports/search-index.js'
import { textKey } from '../../../text/analyze.js'
import { parseSearchText } from '../../../text/parse-search-text.js'
import { exactHash } from './documents.js'
import {
  facetsOf,
  hitsOf,
  type MeiliResponse,
  type MeiliSearch,
  multiSearch,
  scoreOfHit,
  totalOf,
} from './multi-search.js'
import { partialPage } from './partial-search.js'
import { equals, filterConditions, queryText, sortOrder } from './query.js'

/**
 * Searches an index; see the port. When no skill has all words of the query, skills with some of them are returned.
 *
 * @param timeoutMs for all requests of the search together
 */
export async function searchSkills(
  client: Meilisearch,
  indexUid: string,
  query: SearchQuery,
  timeoutMs: number,
): Promise<SearchPage> {
  const text = parseSearchText(query.text)
  if (text.terms.length + text.excluded.length === 0) {
    return { hits: [], total: 0, facets: facetsOf(query.facets) }
  }
  const conditions = filterConditions(query.filters)
  const search = { client, indexUid, query, text, conditions, signal: AbortSignal.timeout(timeoutMs) }
  const sort = sortOrder(query)
  const page = sort === null ? await rankedPage(search) : await sortedPage(search, sort)
  return page.total === 0 && text.terms.length > 1 ? partialPage(search) : page
}

/** Skills that have all words, in the order of a column. */
async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query, text, conditions } = search
  const [response] = await multiSearch(search, [
    {
      q: queryText(text),
      filter: conditions,
      matchingStrategy: 'all',
      sort,
      offset: query.offset,
      limit: query.limit,
      facets: query.facets,
      attributesToRetrieve: ['skill'],
    },
  ])
  return {
    hits: hitsOf(search, response, () => null),
    total: totalOf(response),
    facets: facetsOf(query.facets, response?.facetDistribution),
  }
}

/**
 * Skills that have all words, best first: those whose `owner/repo` equals the query, then those whose name does, then the
 * others by the ranking of Meilisearch.
 */
async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, text, conditions } = search
  const exact = exactCondition(search)
  const allWords: SearchParams = {
    q: queryText(text),
    matchingStrategy: 'all',
    filter: conditions,
    offset: query.offset,
    limit: query.limit,
    showRankingScoreDetails: true,
    attributesToRetrieve: ['skill'],
  }
  const [ranked, found] = await multiSearch(search, [
    { ...allWords, facets: query.facets },
    ...(exact === null ? [] : [lookUp(search, exact)]),
  ])
  const first = await exactFirst(search, found)
  const firstTotal = totalOf(found)
  // On the first page the exact matches only move up; later pages are requested again without them.
  const [others] =
    exact === null || firstTotal === 0 || query.offset === 0
      ? [ranked]
      : await multiSearch(search, [
          { ...allWords, filter: [...conditions, `NOT (${exact})`], offset: Math.max(0, query.offset - firstTotal) },
        ])
  const firstIds = new Set(first.map(({ skill }) => skill.id))
  return {
    hits: [
      ...first.slice(query.offset, query.offset + query.limit),
      ...hitsOf(search, others, (hit) => scoreOfHit(hit, text.terms.length)).filter(
        ({ skill }) => !firstIds.has(skill.id),
      ),
    ].slice(0, query.limit),
    // Exact matches have all words too.
    total: totalOf(ranked),
    facets: facetsOf(query.facets, ranked?.facetDistribution),
  }
}

/** Skills that meet a condition, up to the end of the page, the most starred first. */
const lookUp = ({ query, conditions }: MeiliSearch, condition: string): SearchParams => ({
  filter: [...conditions, condition],
  limit: query.offset + query.limit,
  attributesToRetrieve: ['skill'],
})

/** The condition of skills whose `owner/repo` or name equals the query; null for a query that excludes words. */
function exactCondition(search: MeiliSearch): string | null {
  const { query, text } = search
  if (text.excluded.length > 0 || text.terms.length === 0) {
    return null
  }
  const name = equals('nameHashes', exactHash(textKey(query.text)))
  return mayBeId(search) ? `${idCondition(search)} OR ${name}` : name
}

const idCondition = ({ query }: MeiliSearch): string => equals('idHash', exactHash(textKey(query.text)))

/** An id has two words at least, and no phrase spans owner and repository. */
const mayBeId = ({ query, text }: MeiliSearch): boolean =>
  textKey(query.text).includes(' ') && !text.terms.some(({ quoted }) => quoted)

/** The exact matches: the skill with the queried `owner/repo` before those with the name. */
async function exactFirst(search: MeiliSearch, found: MeiliResponse | undefined): Promise<SearchHit[]> {
  const hits = hitsOf(search, found, () => 0.99)
  if (!mayBeId(search) || hits.length === 0) {
    return hits
  }
  // When more skills have the name than were read, the one with the id may be missing.
  const [byId] =
    totalOf(found) > hits.length ? await multiSearch(search, [lookUp(search, idCondition(search))]) : [found]
  const key = textKey(search.query.text)
  const hasId = ({ skill }: SearchHit) => textKey(`${skill.owner} ${skill.repo}`) === key
  return [...hitsOf(search, byId, () => 1).filter(hasId), ...hits.filter((hit) => !hasId(hit))]
}
