import type { Meilisearch, SearchParams, SearchResponse } from 'meilisearch'
import type { FacetName, SearchHit, SearchPage, SearchQuery } from '../../../ports/search-index.js'
import type { Skill } from '../../../records/skill.js'
import { searchSettings } from '../../../search-settings.js'
import { maxDistance, maxFieldScore, scoreOf } from '../../../text/fitness.js'
import type { SearchText } from '../../../text/parse-search-text.js'
import { matchesIn } from '../../../text/skill-matches.js'
import type { MeiliDocument } from './documents.js'

/** Values per facet. */
const maxFacetValues = 20

export type MeiliResponse = SearchResponse<MeiliDocument>

/** The index that is searched. */
export interface MeiliTarget {
  client: Meilisearch
  indexUid: string
  /** Aborted at the time limit of the search; absent: the client's own timeout applies. */
  signal?: AbortSignal
}

/** A search, parsed for Meilisearch. */
export interface MeiliSearch extends MeiliTarget {
  query: SearchQuery
  text: SearchText
  /** The query's filters: conditions that must all hold. */
  conditions: string[]
  signal: AbortSignal
}

/** Sends several queries in one request. Without `attributesToRetrieve` a query retrieves nothing but counts. */
export async function multiSearch(
  { client, indexUid, signal }: MeiliTarget,
  queries: SearchParams[],
): Promise<MeiliResponse[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>(
    { queries: queries.map((query) => ({ indexUid, attributesToRetrieve: [], ...query })) },
    signal === undefined ? {} : { signal },
  )
  return results
}

type Hit = MeiliResponse['hits'][number]

/** The skill of a hit for which `skill` was retrieved. */
export const skillOf = (hit: Hit): Skill => JSON.parse(hit.skill) as Skill

/** The ranking steps of a hit, as far as the published ranking has them. */
export interface RankingSteps {
  typo?: { typoCount: number }
  proximity?: { score: number }
  attributeRank?: { score: number }
  exactness?: { matchingWords?: number; maxMatchingWords?: number }
}

/** The ranking steps of a hit of a query with `showRankingScoreDetails`. */
export const rankingStepsOf = (hit: Hit): RankingSteps => (hit._rankingScoreDetails ?? {}) as RankingSteps

/** Number of all matching documents, not only of those on the page. */
export const totalOf = (response: MeiliResponse | undefined): number =>
  Math.min(response?.estimatedTotalHits ?? 0, searchSettings.counted)

/** The hits of a response for which `skill` was retrieved. */
export const hitsOf = (
  { query, text }: MeiliSearch,
  response: MeiliResponse | undefined,
  score: (hit: Hit) => number | null,
): SearchHit[] =>
  (response?.hits ?? []).map((hit) => {
    const skill = skillOf(hit)
    return { skill, score: score(hit), matches: query.highlight ? matchesIn(skill, text) : null }
  })

/**
 * The score of a hit that has all words of the query.
 *
 * @param terms number of terms of the query
 */
export function scoreOfHit(hit: Hit, terms: number): number {
  if (terms === 0) {
    return 0
  }
  const { typo, proximity, attributeRank, exactness } = rankingStepsOf(hit)
  // Meilisearch returns the place of a match among all possible ones as a share; 1 is the best place.
  const placeOf = (share: number, worst: number) => Math.round((1 - share) * (worst + 1))
  return scoreOf(
    {
      typos: typo?.typoCount ?? 0,
      distance: placeOf(proximity?.score ?? 1, maxDistance(terms)),
      fields: placeOf(attributeRank?.score ?? 1, maxFieldScore(terms)),
      unfinished: (exactness?.maxMatchingWords ?? 0) - (exactness?.matchingWords ?? 0),
    },
    terms,
  )
}

/** The requested facets from the counts of their values: the most frequent values first, equal counts by value. */
export const facetsOf = (
  facets: FacetName[],
  distribution: Partial<Record<FacetName, Record<string, number>>> = {},
): SearchPage['facets'] =>
  Object.fromEntries(
    facets.map((facet) => [
      facet,
      Object.entries(distribution[facet] ?? {})
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, maxFacetValues),
    ]),
  )
