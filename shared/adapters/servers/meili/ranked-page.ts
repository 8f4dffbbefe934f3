import type { SearchPage } from '../../../ports/search-index.js'
import { foldCopies } from '../../../text/fold-hits.js'
import { fusionWeights, inFusedOrder } from '../../../text/fuse.js'
import { maxCandidates } from './candidates.js'
import { countMatches, foldKey, maxCounted, othersThan, withNearCopies, withoutNearCopies } from './copies.js'
import { counted } from './counted.js'
import { type FirstHits, readFirst } from './first-hits.js'
import { countFacets, facetsOf, type MeiliHit } from './multi-search.js'
import { orderByWords, placeRest } from './order.js'
import { type Place, type PlacedHit, placesOf, readWith, toHits } from './places.js'
import { type MeiliSearch, totalOf } from './prepared-search.js'
import { TextWeigher } from './text-weigher.js'

/**
 * Skills best first: those whose `owner/repo` or name is the text; then those that Meilisearch finds, weighed here and,
 * where the meaning counts, fused with the nearest; then the rest in the order of Meilisearch. A later page begins with
 * the same first hits, so that the pages show each hit once.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const { fold, facets, offset } = query
  const first = await readFirst(search)
  const read = readWith({ ...search, text: first.text, rarity: first.rarity }, [
    ...first.named.slice(0, maxCandidates),
    ...first.worded.slice(0, maxCandidates),
  ])
  const places = placesOf(read)
  const keyOf = foldKey(search)
  const weigher = new TextWeigher(read, first.texts, first.rarity !== null)
  const found = withEvidence(first, orderByWords(first, places), places, weigher)
  const weights = fusionWeights(found, meaning !== null)
  const placed = withoutNearCopies(search, foldCopies(inFusedOrder(found, weights), keyOf), read)

  const until = offset + query.limit
  const known = placed.map(({ hit }) => hit)
  const others = first.words === null ? null : othersThan(withNearCopies(placed), search, first.words)
  const from = Math.max(offset, placed.length)
  const [rest] =
    others !== null && until > from
      ? await search.send([{ ...others, offset: from - placed.length, limit: until - from }])
      : []
  const shown = [...placed.slice(offset, until), ...placeRest(rest?.hits ?? [], { places, placed, weights })]

  // Otherwise Meilisearch has counted them, copies too.
  const areCounted =
    first.words === null || (first.total <= maxCounted && (fold || first.near.length + first.texts.length > 0))
  const { copies, matches } = await countMatches(search, withNearCopies(shown), areCounted ? others : null)
  return {
    hits: toHits(search, read, shown, copies, (id) => weigher.conceptsIn(id)),
    ...counted(areCounted ? placed.length + totalOf(matches) : first.total),
    facets: facetsOf(
      facets,
      areCounted ? [countFacets(facets, known), matches?.facetDistribution ?? {}] : first.facets,
    ),
    byMeaning: meaning !== null,
  }
}

/** The hits by words and those that only their text or meaning has found, with what each has of the query. */
function withEvidence(
  { near, texts }: FirstHits,
  byWords: PlacedHit[],
  places: (hit: MeiliHit) => Place,
  weigher: TextWeigher,
): PlacedHit[] {
  const similarities = new Map(near.map(({ hit, similarity }) => [hit.id, similarity]))
  const known = new Set(byWords.map(({ hit }) => hit.id))
  const others = new Map([...near.map(({ hit }) => hit), ...texts].map((hit) => [hit.id, hit]))
  const found = [...others.values()].filter(({ id }) => !known.has(id)).map((hit) => ({ hit, ...places(hit) }))
  return [...byWords, ...found].map(({ hit, placement, score }) => {
    const text = weigher.weigh(hit.id)
    return {
      hit,
      placement: score === 0 && !known.has(hit.id) ? (text > 0 ? 'text' : 'meaning') : placement,
      score,
      text,
      similarity: similarities.get(hit.id) ?? null,
    }
  })
}
