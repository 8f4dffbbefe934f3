import type { SearchParams } from 'meilisearch'
import { queryTimeout } from '../../errors.js'
import type { FacetName, SearchPage } from '../../ports/search-index.js'
import { searchSettings } from '../../search-settings.js'
import type { SearchTerm } from '../../text/parse-search-text.js'
import type { MeiliDocument } from './meili-documents.js'
import { isOneOf, queryText } from './meili-query.js'
import { ask, columnOrder, facetsOf, hitsOf, type MeiliSearch, totalOf } from './meili-search.js'

/**
 * How many skills are read of each list of more than three words, for the first pages and for later ones. To read them
 * is what a search costs most: 21 lists are read for ten words.
 */
const depths = [200, searchSettings.maxReach]

/** So many words are asked for in each combination, which shows all skills that have several of them. */
const maxCombined = 3

/** A skill that has some of the words. */
interface Partial {
  document: MeiliDocument
  words: number
}

/**
 * Skills with at least one of the words, most of them first: asked for only when none has them all. The engine can leave
 * out words from the end of a query only, so each word is looked up by itself, and the lists are merged here. So are the
 * columns and facets: a filter for the skills found would cost the engine more than the lists.
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
        : await ask(search, [{ filter: isOneOf(ids), limit: ids.length, attributesToRetrieve: ['skill'] }])
    const places = new Map(ids.map((id, place) => [id, place]))
    const placeOf = (id: string) => places.get(id) ?? 0
    // Below the score of any skill that has all the words.
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
      ? queryTimeout('This search takes too long. Ask with fewer words, or without facets.', error)
      : error
  }
}

/** All that have any of the words, or the best of each word where they are many, in the order asked for. */
async function partialMatches(search: MeiliSearch): Promise<{ found: Partial[]; total: number }> {
  const { terms } = search.text
  const limit = depthOf(search)
  const single = await askForTerms(
    search,
    terms.map((term) => [term]),
    limit,
  )
  const matches = new Map<string, Partial>()
  for (const { hits } of single) {
    for (const document of hits) {
      const words = matches.get(document.id)?.words ?? 0
      matches.set(document.id, { document, words: words + 1 })
    }
  }
  const isWhole = single.every((answer) => totalOf(answer) <= answer.hits.length)
  const several: { terms: SearchTerm[]; total: number }[] = []
  if (!isWhole) {
    // Lists that end early may miss what has several of the words, so that is asked for too.
    const there = terms.filter((_, position) => single[position]?.hits.length)
    const lists = [there, ...there.map((left) => there.filter((term) => term !== left))].filter(
      (some) => some.length > 1 && some.length < terms.length,
    )
    const answers = await askForTerms(search, lists, limit)
    for (const [position, list] of lists.entries()) {
      const answer = answers[position]
      several.push({ terms: list, total: totalOf(answer) })
      for (const document of answer?.hits ?? []) {
        const words = matches.get(document.id)?.words ?? 0
        matches.set(document.id, { document, words: Math.max(words, list.length) })
      }
    }
  }
  const found = [...matches.values()].sort(inOrderOf(search))
  return { found, total: isWhole ? found.length : Math.max(found.length, unionOf(single.map(totalOf), several)) }
}

/**
 * How many are read of each list. Of up to three words every combination is asked for, so that the first ones of each
 * are all that a page can show. Facets and more words need more than that, to meet what is in several lists.
 */
function depthOf({ query, text }: MeiliSearch): number {
  const reach = query.offset + query.limit
  if (text.terms.length > maxCombined) {
    return depths.find((depth) => depth >= reach) ?? searchSettings.maxReach
  }
  return query.facets.length === 0 ? reach : searchSettings.maxReach
}

/** How many have any of the words, from how many have each and how many have several; of many words, a lower bound. */
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

/** For each list of terms, the first that have all of them: in the order asked for, else the most starred. */
async function askForTerms(search: MeiliSearch, lists: SearchTerm[][], limit: number) {
  if (lists.length === 0) {
    return []
  }
  const sort = columnOrder(search) ?? ['rank:asc']
  const attributesToRetrieve = ['id', ...sort.map((each) => splitOrder(each).attribute), ...search.query.facets]
  return ask(
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

/** An order in the engine's syntax, such as `stars:desc`. */
function splitOrder(order: string): { attribute: Attribute; direction: 1 | -1 } {
  const [attribute = '', direction] = order.split(':')
  return { attribute: attribute as Attribute, direction: direction === 'desc' ? -1 : 1 }
}

/** The order asked for: by columns as the engine does, else most words first, then by rank. */
function inOrderOf(search: MeiliSearch): (a: Partial, b: Partial) => number {
  const columns = columnOrder(search)
  const orders = (columns ?? ['rank:asc', 'id:asc']).map(splitOrder)
  return (a, b) => {
    const byWords = columns === null ? b.words - a.words : 0
    return orders.reduce(
      (order, { attribute, direction }) => order || compare(a.document[attribute], b.document[attribute], direction),
      byWords,
    )
  }
}

/** Values of one attribute; those that are not there come last, whichever the direction. */
function compare(a: unknown, b: unknown, direction: 1 | -1): number {
  if (a === b) {
    return 0
  }
  if (a === null || b === null) {
    return a === null ? 1 : -1
  }
  return (a as string | number) < (b as string | number) ? -direction : direction
}

/** How often each value of these facets is there; as the engine does, without regard to case. */
function distributionOf(facets: FacetName[], found: Partial[]) {
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
