import type { Meilisearch, SearchParams, SearchResponse } from 'meilisearch'
import type { FacetCount, FacetName, SearchPage } from '../../../ports/search-index.js'
import { skillOf } from '../../../records/skill.js'
import type { MeiliDocument } from './documents.js'
import { wordAttributes } from './settings.js'

const attributesToSearchOn = Object.keys(wordAttributes)

/** Values per facet. */
const maxFacetValues = 20

export type MeiliResponse = SearchResponse<MeiliDocument>
export type MeiliHit = MeiliResponse['hits'][number]

/** The index that is searched. */
export interface MeiliTarget {
  client: Meilisearch
  indexUid: string
  /** Aborted at the time limit of the search; absent: the client's own timeout applies. */
  signal?: AbortSignal
}

/**
 * Sends several queries in one request. Without `attributesToRetrieve` a query retrieves nothing but counts, without
 * `attributesToSearchOn` it searches the words of fields.
 */
export async function multiSearch(
  { client, indexUid, signal }: MeiliTarget,
  queries: SearchParams[],
): Promise<MeiliResponse[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>(
    { queries: queries.map((query) => ({ indexUid, attributesToRetrieve: [], attributesToSearchOn, ...query })) },
    signal === undefined ? {} : { signal },
  )
  return results
}

/** How many matches have each value of a facet. */
export type FacetDistribution = Partial<Record<FacetName, Record<string, number>>>

/** The values of facets in skills, counted as Meilisearch does. */
export function countFacets(facets: FacetName[], hits: MeiliHit[]): FacetDistribution {
  const counts = Object.fromEntries(facets.map((facet) => [facet, new Map<string, number>()]))
  for (const { skill } of facets.length === 0 ? [] : hits) {
    const { owner, topics, license, language } = skillOf({ record: skill })
    const values = { owner: [owner.toLowerCase()], topics: new Set(topics), license: [license], language: [language] }
    for (const facet of facets) {
      for (const value of values[facet]) {
        if (value !== null) {
          counts[facet]?.set(value, (counts[facet]?.get(value) ?? 0) + 1)
        }
      }
    }
  }
  return Object.fromEntries(Object.entries(counts).map(([facet, values]) => [facet, Object.fromEntries(values)]))
}

/**
 * The requested facets from the counts of their values: the most frequent values first, equal counts by value.
 *
 * @param distributions of different skills
 */
export const facetsOf = (facets: FacetName[], distributions: FacetDistribution[] = []): SearchPage['facets'] =>
  Object.fromEntries(
    facets.map((facet) => {
      // Values that differ in case only are one value.
      const counts = new Map<string, FacetCount>()
      for (const [value, count] of distributions.flatMap((each) => Object.entries(each[facet] ?? {}))) {
        const key = value.toLowerCase()
        const known = counts.get(key)
        const [first = value] = [value, known?.value ?? value].sort()
        counts.set(key, { value: first, count: count + (known?.count ?? 0) })
      }
      const values = [...counts.values()]
      return [facet, values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, maxFacetValues)]
    }),
  )
