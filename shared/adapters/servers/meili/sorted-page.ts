import type { SearchParams } from 'meilisearch'
import type { SearchPage } from '../../../ports/search-index.js'
import { anyWordQuery } from './any-word.js'
import { keeping, withCopies } from './copies.js'
import { counted } from './counted.js'
import { facetsOf } from './multi-search.js'
import { placesOf, readWith, toHits } from './places.js'
import { distinctCopies, isIdentity, type MeiliSearch, retrieved, totalOf, withCondition } from './prepared-search.js'
import { queryText } from './query.js'

/** Skills that have all words, in the order of a column; where there is none, those with some of the words. */
export async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query, text, conditions } = search
  const sorted = (filter: string[], matchingStrategy: 'all' | 'frequency'): SearchParams => ({
    q: queryText(text),
    filter,
    matchingStrategy,
    sort,
    offset: query.offset,
    limit: query.limit,
    facets: query.facets,
    attributesToRetrieve: retrieved,
    ...distinctCopies(search),
  })
  const both = (filter: string[]) => [sorted(filter, 'all'), sorted(filter, 'frequency')]
  const identity = query.fold ? [withCondition(search, isIdentity(text), 1)] : []
  const first = await search.send([...both(conditions), ...identity])
  const filter = [...conditions, ...(first[2]?.hits ?? []).flatMap(keeping)]
  const [all, some] = filter.length === conditions.length ? first : await search.send(both(filter))
  const response = totalOf(all) > 0 ? all : totalOf(some) > 0 ? some : await orAnyWord(search, sorted(filter, 'all'))
  const hits = response?.hits ?? []
  const read = readWith(search, hits)
  const places = placesOf(read)
  const placed = hits.map((hit) => ({
    hit,
    placement: places(hit).placement,
    score: null,
    similarity: null,
    duplicates: 0,
  }))
  return {
    hits: toHits(search, read, await withCopies(search, placed)),
    ...counted(totalOf(response)),
    facets: facetsOf(query.facets, [response?.facetDistribution ?? {}]),
    byMeaning: false,
  }
}

async function orAnyWord(search: MeiliSearch, query: SearchParams) {
  const found = await anyWordQuery(search, query)
  return found === null ? undefined : (await search.send([found]))[0]
}
