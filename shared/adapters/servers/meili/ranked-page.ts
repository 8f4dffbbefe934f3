import type { SearchPage } from '../../../ports/search-index.js'
import { foldCopies } from '../../../text/fold-hits.js'
import { mergeOrders } from '../../../text/merge-orders.js'
import { maxCandidates } from './candidates.js'
import { countMatches, foldKey, maxCounted, othersThan } from './copies.js'
import { counted } from './counted.js'
import { readFirst } from './first-hits.js'
import { countFacets, facetsOf } from './multi-search.js'
import { orderByWords, placeRest } from './order.js'
import { placesOf, readWith, toHits } from './places.js'
import { type MeiliSearch, totalOf } from './prepared-search.js'

/**
 * Skills best first: those whose `owner/repo` or name is the text; then those that Meilisearch finds, weighed here and,
 * where the meaning counts, fused with the nearest; then the rest in the order of Meilisearch. A later page begins with
 * the same first hits, so that the pages show each hit once.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const { fold, facets, offset } = query
  const first = await readFirst(search)
  const read = readWith(search, [...first.named.slice(0, maxCandidates), ...first.worded.slice(0, maxCandidates)])
  const places = placesOf(read)
  const keyOf = foldKey(search)
  const byWords = foldCopies(orderByWords(first, places), keyOf)
  const placed = meaning === null ? byWords : mergeOrders(byWords, first.near, keyOf, meaning.kind)

  const until = offset + query.limit
  const known = placed.map(({ hit }) => hit)
  const others = first.areMore ? othersThan(known, search, first.words) : null
  const from = Math.max(offset, placed.length)
  const [rest] =
    others !== null && until > from
      ? await search.send([{ ...others, offset: from - placed.length, limit: until - from }])
      : []
  const shown = [...placed.slice(offset, until), ...placeRest(rest?.hits ?? [], { search, places, placed, from })]

  // Otherwise Meilisearch has counted them, copies too.
  const areCounted = !first.areMore || (first.total <= maxCounted && (fold || first.near.length > 0))
  const { copies, matches } = await countMatches(
    search,
    shown.map(({ hit }) => hit),
    areCounted ? others : null,
  )
  return {
    hits: toHits(search, read, shown, copies),
    ...counted(areCounted ? placed.length + totalOf(matches) : first.total),
    facets: facetsOf(
      facets,
      areCounted ? [countFacets(facets, known), matches?.facetDistribution ?? {}] : first.facets,
    ),
    byMeaning: meaning !== null,
  }
}
