import type { SearchParams } from 'meilisearch'
import type { SearchPage } from '../../../ports/search-index.js'
import { type FusionWeights, foldCopies, fusedScore, fusionWeights, inFusedOrder } from '../../../ranking/merge-hits.js'
import type { Place } from '../../../ranking/weigh.js'
import { searchSettings } from '../../../search-settings.js'
import type { MeiliHit, MeiliResponse } from './client.js'
import { allows, anyWordQuery, type FirstHits, type NearHit, nearEnough, nearestTo, readFirst } from './first-hits.js'
import {
  counted,
  countFacets,
  countMatches,
  distinctCopies,
  facetsOf,
  foldKey,
  isIdentity,
  isNamed,
  keeping,
  type MeiliSearch,
  maxCounted,
  namedLimit,
  narrowed,
  othersThan,
  queryText,
  retrieved,
  totalOf,
  withCondition,
} from './query.js'
import {
  maxCandidates,
  type PlacedHit,
  placesOf,
  readWith,
  TextWeigher,
  toHits,
  unweighed,
  withNearCopies,
  withoutNearCopies,
} from './weigh.js'

/**
 * Skills best first: those whose `owner/repo` or name is the text; then those that Meilisearch finds, weighed here and,
 * where the meaning counts, fused with the nearest; then the rest in the order of Meilisearch. A later page begins with
 * the same first hits, so that the pages show each hit once.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const { fold, facets, offset } = query
  const first = await readFirst(search)
  const read = readWith({ ...search, text: first.text, rarity: first.rarity, texts: first.texts }, [
    ...first.named.slice(0, maxCandidates),
    ...first.worded.slice(0, first.rarity === null ? maxCandidates : first.worded.length),
  ])
  const places = placesOf(read)
  const weigher = new TextWeigher(read, first.texts, first.rarity !== null)
  const found = withEvidence(first, orderByWords(first, places), places, weigher)
  const weights = fusionWeights(found, meaning !== null)
  const placed = withoutNearCopies(search, foldCopies(inFusedOrder(found, weights), foldKey(search)), read)

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

/** The weighed hits, then the others as Meilisearch orders them. */
function orderByWords({ named, worded, rarity }: FirstHits, places: (hit: MeiliHit) => Place): PlacedHit[] {
  const placed = (hit: MeiliHit) => ({ hit, ...places(hit) })
  // Several queries have found hits of a task, or of rare words: Meilisearch has no order for them.
  const weighed = rarity === null ? maxCandidates : worded.length
  return [
    ...[...named, ...worded.slice(0, weighed)].map(placed).sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...worded
      .slice(weighed)
      .map((hit) => ({ hit, ...unweighed(places(hit)) }))
      .sort((a, b) => b.score - a.score),
  ]
}

/** Places the hits after those of the first request. */
function placeRest(
  hits: MeiliHit[],
  { places, placed, weights }: { places: (hit: MeiliHit) => Place; placed: PlacedHit[]; weights: FusionWeights },
): PlacedHit[] {
  // Scored as the fusion scores hits that only the words find.
  const max = placed.at(-1)?.score ?? 1
  return hits
    .map((hit) => ({ hit, ...unweighed(places(hit)) }))
    .sort((a, b) => b.score - a.score)
    .map((each) => ({ ...each, score: Math.min(max, fusedScore(each, weights)) }))
}

/** Skills that have all words, in the order of a column; where there is none, those with some of the words. */
export async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query } = search
  const { shown, response } = await findSorted(search, sort)
  const found = response?.hits ?? []
  const read = readWith(search, found)
  const places = placesOf(read)
  const placed = found.map((hit) => ({ hit, placement: places(hit).placement, score: null }))
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

  const [named] = query.fold ? await search.send([withCondition(search, isIdentity(text), 1)]) : []
  const kept = (named?.hits ?? []).flatMap(keeping)
  // Each is sent only if it is needed: a page far from the start takes Meilisearch hundreds of milliseconds.
  for (const words of [all, some]) {
    const shown = shownOf(words, kept)
    const [response] = await search.send([shown])
    if (totalOf(response) > 0) {
      return { shown, response }
    }
  }
  const any = await anyWordQuery(search, all)
  return any === null
    ? { shown: shownOf(all), response: undefined }
    : { shown: shownOf(any), response: (await search.send([shownOf(any)]))[0] }
}

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
  const read = readWith(search, [
    ...named.slice(0, maxCandidates),
    ...near.slice(0, searchSettings.maxNearest).map(({ hit }) => hit),
  ])
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
    withCondition(search, isNamed(text), namedLimit(search)),
    { ...nearestTo(vector, embedder, conditions, limit), ...distinctCopies(search) },
  ])
  const near = nearEnough(nearest)
  return {
    named: named?.hits ?? [],
    near: near.filter(({ hit }) => allows(text, hit)),
    areMore: near.length === limit,
  }
}
