import type { SearchPage } from '../../../ports/search-index.js'
import { searchSettings } from '../../../search-settings.js'
import { foldCopies } from '../../../text/fold-hits.js'
import { countMatches, foldKey, withNearCopies, withoutNearCopies } from './copies.js'
import { countFacets, facetsOf, type MeiliHit } from './multi-search.js'
import { allows, type NearHit, nearEnough, nearestTo } from './nearest.js'
import { type PlacedHit, placesOf, readWith, toHits } from './places.js'
import { distinctCopies, isNamed, type MeiliSearch, maxNamed, withCondition } from './prepared-search.js'

/** Skills whose `owner/repo` or name is the text, then those that are nearest to its meaning, the nearest first. */
export async function semanticPage(
  search: MeiliSearch,
  meaning: NonNullable<MeiliSearch['meaning']>,
): Promise<SearchPage> {
  const { query } = search
  const until = query.offset + query.limit
  const first = await readNearest(search, meaning, searchSettings.maxNearest)
  const { named, near, areMore } =
    first.areMore && until >= first.near.length ? await readNearest(search, meaning, searchSettings.maxReach) : first
  const read = readWith(search, [...named, ...near.slice(0, searchSettings.maxNearest).map(({ hit }) => hit)])
  const folded = foldCopies(inOrder(named, near, placesOf(read)), foldKey(search))
  const placed = withoutNearCopies(search, folded, read).slice(0, searchSettings.maxReach)
  const shown = placed.slice(query.offset, until)
  const known = placed.map(({ hit }) => hit)
  const { copies } = await countMatches(search, withNearCopies(shown), null)
  return {
    hits: toHits(search, read, shown, copies),
    total: placed.length,
    totalIsLowerBound: areMore,
    facets: facetsOf(query.facets, [countFacets(query.facets, known)]),
    byMeaning: true,
  }
}

/** Exact names in their order, then the nearest. */
function inOrder(named: MeiliHit[], near: NearHit[], places: ReturnType<typeof placesOf>): PlacedHit[] {
  const similarities = new Map(near.map(({ hit, similarity }) => [hit.id, similarity]))
  const ids = new Set(named.map(({ id }) => id))
  return [
    ...named
      .map((hit) => ({ hit, ...places(hit), similarity: similarities.get(hit.id) ?? null }))
      .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...near.filter(({ hit }) => !ids.has(hit.id)),
  ]
}

/** Exact names, the nearest skills, and whether there may be more that are near enough. */
async function readNearest(
  search: MeiliSearch,
  { vector, embedder }: NonNullable<MeiliSearch['meaning']>,
  limit: number,
): Promise<{ named: MeiliHit[]; near: NearHit[]; areMore: boolean }> {
  const { text, conditions, send } = search
  const [named, nearest] = await send([
    withCondition(search, isNamed(text), maxNamed),
    { ...nearestTo(vector, embedder, conditions, limit), ...distinctCopies(search) },
  ])
  const near = nearEnough(nearest)
  return {
    named: named?.hits ?? [],
    near: near.filter(({ hit }) => allows(text, hit)),
    areMore: near.length === limit,
  }
}
