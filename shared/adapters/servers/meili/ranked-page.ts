import type { SearchPage } from '../../../ports/search-index.js'
import { foldCopies } from '../../../text/fold-copies.js'
import { maxCandidates } from './candidates.js'
import { withCopies } from './copies.js'
import { counted } from './counted.js'
import { type FirstHits, readFirst } from './first-hits.js'
import { countFacets, facetsOf, type MeiliHit } from './multi-search.js'
import { orderByWords, placeRest, withNearest } from './order.js'
import { hasWordsOf, type PlacedHit, placesOf, readWith, toHits } from './places.js'
import type { MeiliSearch } from './prepared-search.js'
import { readRest } from './rest.js'

/**
 * Skills best first: those whose `owner/repo` or name is the text; then those that Meilisearch finds, weighed here and,
 * where the meaning counts, fused with the nearest; then the rest in the order of Meilisearch. A later page begins with
 * the same first hits, so that the pages show each hit once.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const until = query.offset + query.limit
  const first = await readFirst(search)
  const read = readWith(search, [...first.named.slice(0, maxCandidates), ...first.worded.slice(0, maxCandidates)])
  const places = placesOf(read)
  const byWords = orderByWords(first, places)
  const ordered = meaning === null ? byWords : withNearest(byWords, first.near, meaning.kind)
  const placed = query.fold ? foldCopies(ordered, ({ hit }) => hit.copyKey) : ordered

  const shown = placed.slice(query.offset, until)
  const rest = until > placed.length && first.areMore ? await restOf(search, first, placed) : []
  const from = Math.max(query.offset, placed.length)
  const others = await withCopies(search, placeRest(rest, { search, places, placed, from }))
  return {
    hits: toHits(search, read, [...shown, ...others]),
    ...countsOf(search, first, ordered, placed, hasWordsOf(read)),
    byMeaning: meaning !== null,
  }
}

/** The hits of the page that follow those of the first request. */
function restOf(search: MeiliSearch, first: FirstHits, placed: PlacedHit[]): Promise<MeiliHit[]> {
  const { offset, limit } = search.query
  const known = placed.map(({ hit }) => hit)
  return readRest(search, first.words, known, {
    offset: Math.max(0, offset - placed.length),
    limit: offset + limit - Math.max(offset, placed.length),
  })
}

/** Total and facets: exact where the first request has read all matches, else with copies that are not read yet. */
function countsOf(
  { query: { facets } }: MeiliSearch,
  first: FirstHits,
  ordered: PlacedHit[],
  placed: PlacedHit[],
  hasWords: (hit: MeiliHit) => boolean,
): Pick<SearchPage, 'total' | 'totalIsLowerBound' | 'facets'> {
  const recordsOf = (hits: PlacedHit[]) => hits.map(({ hit }) => hit.skill)
  if (!first.areMore) {
    return { ...counted(placed.length), facets: facetsOf(facets, [countFacets(facets, recordsOf(placed))]) }
  }
  const near = ordered.filter(({ placement }) => placement === 'meaning')
  // The others may be matches by words that are read later.
  const byMeaning = near.filter(({ hit }) => !hasWords(hit))
  const { total, totalIsLowerBound } = counted(first.total + byMeaning.length - (ordered.length - placed.length))
  return {
    total,
    totalIsLowerBound: totalIsLowerBound || byMeaning.length < near.length,
    facets: facetsOf(facets, [
      ...first.responses.map((response) => response?.facetDistribution ?? {}),
      countFacets(facets, recordsOf(byMeaning)),
    ]),
  }
}
