import type { SearchParams } from 'meilisearch'
import type { SearchPage } from '../../../ports/search-index.js'
import { anyWordQuery } from './any-word.js'
import { countMatches, keeping, maxCounted, narrowed } from './copies.js'
import { counted } from './counted.js'
import { facetsOf, type MeiliResponse } from './multi-search.js'
import { placesOf, readWith, toHits } from './places.js'
import { distinctCopies, isIdentity, type MeiliSearch, retrieved, totalOf, withCondition } from './prepared-search.js'
import { queryText } from './query.js'

/** Skills that have all words, in the order of a column; where there is none, those with some of the words. */
export async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query } = search
  const { shown, response } = await findSorted(search, sort)
  const found = response?.hits ?? []
  const read = readWith(search, found)
  const places = placesOf(read)
  const placed = found.map((hit) => ({ hit, placement: places(hit).placement, score: null, similarity: null }))
  const isCounted = query.fold && totalOf(response) <= maxCounted
  const { copies, matches = response } = await countMatches(search, found, isCounted ? shown : null)
  return {
    hits: toHits(search, read, placed, copies),
    ...counted(totalOf(matches)),
    facets: facetsOf(query.facets, [matches?.facetDistribution ?? {}]),
    byMeaning: false,
  }
}

interface Found {
  /** The query that finds the skills, without copies where the search leaves them out. */
  shown: SearchParams
  /** The answer to that; undefined where no skill matches. */
  response: MeiliResponse | undefined
}

async function findSorted(search: MeiliSearch, sort: string[]): Promise<Found> {
  const { query, text, conditions } = search
  const all: SearchParams = {
    q: queryText(text),
    filter: conditions,
    matchingStrategy: 'all',
    sort,
    offset: query.offset,
    limit: query.limit,
    facets: query.facets,
    attributesToRetrieve: retrieved,
  }
  const some: SearchParams = { ...all, matchingStrategy: 'frequency' }
  const shownOf = (words: SearchParams, kept: string[] = []) => ({
    ...narrowed(words, kept),
    ...distinctCopies(search),
  })

  const identity = query.fold ? [withCondition(search, isIdentity(text), 1)] : []
  const first = await search.send([shownOf(all), shownOf(some), ...identity])
  const kept = (first[2]?.hits ?? []).flatMap(keeping)
  const responses = kept.length === 0 ? first : await search.send([shownOf(all, kept), shownOf(some, kept)])
  for (const [at, words] of [all, some].entries()) {
    const response = responses[at]
    if (totalOf(response) > 0) {
      return { shown: shownOf(words, kept), response }
    }
  }
  const any = await anyWordQuery(search, all)
  return any === null
    ? { shown: shownOf(all), response: undefined }
    : { shown: shownOf(any), response: (await search.send([shownOf(any)]))[0] }
}
