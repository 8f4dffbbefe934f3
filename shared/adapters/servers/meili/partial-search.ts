import type { SearchParams } from 'meilisearch'
import type { FacetName, SearchPage } from '../../../ports/search-index.js'
import { queryTimeout } from '../../../runtime/errors.js'
import { searchSettings } from '../../../search-settings.js'
import type { SearchTerm } from '../../../text/parse-search-text.js'
import type { MeiliDocument } from './documents.js'
import { facetsOf, hitsOf, type MeiliSearch, multiSearch, totalOf } from './multi-search.js'
import { isOneOf, queryText, sortOrder } from './query.js'

/**
 * Skills read per list when the query has more than three words, for the first pages and for later ones. Reading them is
 * the largest cost of a search: ten words take 21 lists.
 */
const depths = [200, searchSettings.maxReach]

/** Up to this number of words, all combinations are queried. */
const maxCombined = 3

/** A skill that has some of the words. */
interface PartialMatch {
  document: MeiliDocument
  words: number
}

/**
 * Skills with at least one of the words, those with the most words first; used when no skill has all of them.
 * Meilisearch drops words only from the end of a query, so each word is queried separately, and the lists are merged
 * here. Order and facets are computed here too: a filter for the merged skills would cost Meilisearch more than the lists.
 *
 * @throws AppError `query_timeout` (503)
 */
export async function partialPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, text } = search
  try {
    const { found, total } = await partialMatches(search)
    const page = found.slice(query.offset, query.offset + query.limit)
    const ids = page.map(({ document }) => document.id)
    const [records] =
      ids.length === 0
        ? []
        : await multiSearch(search, [{ filter: isOneOf(ids), limit: ids.length, attributesToRetrieve: ['skill'] }])
    const places = new Map(ids.map((id, place) => [id, place]))
    const placeOf = (id: string) => places.get(id) ?? 0
    // Below the score of any skill that has all words.
    const score = (id: string) =>
      Math.round((2_000 * (page[placeOf(id)]?.words ?? 0)) / (text.terms.length + 1)) / 10_000
    return {
      hits: hitsOf(search, records, () => null)
        .map((hit) => ({ ...hit, score: query.sort === 'relevance' ? score(hit.skill.id) : null }))
        .sort((a, b) => placeOf(a.skill.id) - placeOf(b.skill.id)),
      total,
      facets: facetsOf(query.facets, distributionOf(query.facets, found)),
    }
  } catch (error) {
    throw search.signal.aborted
      ? queryTimeout('This search takes too long. Use fewer words, or no facets.', error)
      : error
  }
}

/** The skills with at least one of the words, up to the depth of each list, in the requested order. */
async function partialMatches(search: MeiliSearch): Promise<{ found: PartialMatch[]; total: number }> {
  const { terms } = search.text
  const limit = depthOf(search)
  const single = await searchTerms(
    search,
    terms.map((term) => [term]),
    limit,
  )
  const matches = new Map<string, PartialMatch>()
  for (const { hits } of single) {
    for (const document of hits) {
      const words = matches.get(document.id)?.words ?? 0
      matches.set(document.id, { document, words: words + 1 })
    }
  }
  const isComplete = single.every((response) => totalOf(response) <= response.hits.length)
  const several: { terms: SearchTerm[]; total: number }[] = []
  if (!isComplete) {
    // Truncated lists may lack skills with several of the words: query combinations of words too.
    const found = terms.filter((_, position) => single[position]?.hits.length)
    const lists = [found, ...found.map((without) => found.filter((term) => term !== without))].filter(
      (list) => list.length > 1 && list.length < terms.length,
    )
    const responses = await searchTerms(search, lists, limit)
    for (const [position, list] of lists.entries()) {
      const response = responses[position]
      several.push({ terms: list, total: totalOf(response) })
      for (const document of response?.hits ?? []) {
        const words = matches.get(document.id)?.words ?? 0
        matches.set(document.id, { document, words: Math.max(words, list.length) })
      }
    }
  }
  const found = [...matches.values()].sort(inOrderOf(search))
  return { found, total: isComplete ? found.length : Math.max(found.length, unionOf(single.map(totalOf), several)) }
}

/**
 * Skills read per list. With up to three words every combination is queried, so that the page needs only the first skills
 * of each list. Facets and more words need a greater depth, to find skills that are in several lists.
 */
function depthOf({ query, text }: MeiliSearch): number {
  const reach = query.offset + query.limit
  if (text.terms.length > maxCombined) {
    return depths.find((depth) => depth >= reach) ?? searchSettings.maxReach
  }
  return query.facets.length === 0 ? reach : searchSettings.maxReach
}

/** The number of skills with any of the words, from the totals of the lists; a lower bound for more than three words. */
function unionOf(single: number[], several: { terms: SearchTerm[]; total: number }[]): number {
  const found = single.filter((total) => total > 0)
  if (found.length > maxCombined) {
    return Math.max(...found)
  }
  const union = several.reduce(
    (sum, { terms, total }) => sum + (terms.length % 2 === 0 ? -total : total),
    found.reduce((sum, total) => sum + total, 0),
  )
  return Math.min(union, searchSettings.counted)
}

/** For each list of terms, the first skills that have all of them, by column or rank. */
async function searchTerms(search: MeiliSearch, lists: SearchTerm[][], limit: number) {
  if (lists.length === 0) {
    return []
  }
  const sort = sortOrder(search.query) ?? ['rank:asc']
  const attributesToRetrieve = ['id', ...sort.map((each) => splitOrder(each).attribute), ...search.query.facets]
  return multiSearch(
    search,
    lists.map(
      (terms): SearchParams => ({
        q: queryText(search.text, terms),
        filter: search.conditions,
        matchingStrategy: 'all',
        limit,
        attributesToRetrieve,
        sort,
      }),
    ),
  )
}

type Attribute = keyof MeiliDocument

/** Parses an order in the syntax of Meilisearch, such as `stars:desc`. */
function splitOrder(order: string): { attribute: Attribute; direction: 1 | -1 } {
  const [attribute = '', direction] = order.split(':')
  return { attribute: attribute as Attribute, direction: direction === 'desc' ? -1 : 1 }
}

/** The requested order: by columns, as Meilisearch sorts, else by number of words and rank. */
function inOrderOf(search: MeiliSearch): (a: PartialMatch, b: PartialMatch) => number {
  const columns = sortOrder(search.query)
  const orders = (columns ?? ['rank:asc', 'id:asc']).map(splitOrder)
  return (a, b) => {
    const byWords = columns === null ? b.words - a.words : 0
    return orders.reduce(
      (order, { attribute, direction }) => order || compare(a.document[attribute], b.document[attribute], direction),
      byWords,
    )
  }
}

/** Compares values of one attribute; null comes last in both directions. */
function compare(a: unknown, b: unknown, direction: 1 | -1): number {
  if (a === b) {
    return 0
  }
  if (a === null || b === null) {
    return a === null ? 1 : -1
  }
  return (a as string | number) < (b as string | number) ? -direction : direction
}

/** The counts of the facets' values, ignoring case, as Meilisearch counts them. */
function distributionOf(facets: FacetName[], found: PartialMatch[]) {
  const distribution: { [facet in FacetName]?: Record<string, number> } = {}
  for (const facet of facets) {
    const counts = new Map<string, { value: string; count: number }>()
    for (const value of found.flatMap(({ document }) => document[facet] ?? [])) {
      const key = value.toLowerCase()
      const known = counts.get(key)
      counts.set(key, { value: known?.value ?? value, count: (known?.count ?? 0) + 1 })
    }
    distribution[facet] = Object.fromEntries([...counts.values()].map(({ value, count }) => [value, count]))
  }
  return distribution
}
