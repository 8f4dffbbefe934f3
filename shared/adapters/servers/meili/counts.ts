import type { SearchParams } from 'meilisearch'
import type { FacetCount, FacetName, SearchPage } from '../../../ports/search-index.js'
import { skillOf } from '../../../records/skill.js'
import { searchSettings } from '../../../search-settings.js'
import type { ReadQuery } from '../../../text/concepts.js'
import { foldNearCopies, sketchIn } from '../../../text/near-copies.js'
import type { MeiliHit, MeiliResponse } from './client.js'
import { distinctCopies, equals, isOneOf, type MeiliSearch } from './query.js'
import { linesOf, type PlacedHit } from './weigh.js'

/** The total of a page: matches are counted up to the reach of pages. */
export const counted = (total: number): Pick<SearchPage, 'total' | 'totalIsLowerBound'> => ({
  total: Math.min(total, searchSettings.maxReach),
  totalIsLowerBound: total >= searchSettings.maxReach,
})

/** Values per facet. */
const maxFacetValues = 20

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

/** More matches than these are not counted one by one to leave out copies: that would take several milliseconds. */
export const maxCounted = 2_000

/** The copy keys of hits. */
const copyKeysOf = (hits: MeiliHit[]): string[] => [
  ...new Set(hits.flatMap(({ copyKey }) => (typeof copyKey === 'string' ? [copyKey] : []))),
]

/** A key of a hit: equal for copies, where the search leaves them out. */
export const foldKey =
  ({ query }: MeiliSearch) =>
  ({ hit }: { hit: MeiliHit }): string =>
    (query.fold ? hit.copyKey : null) ?? hit.id

/** The hits without the near copies of better ones, see `foldNearCopies`, where the search leaves out copies. */
export const withoutNearCopies = ({ query }: MeiliSearch, hits: PlacedHit[], read: ReadQuery): PlacedHit[] =>
  query.fold
    ? foldNearCopies(hits, ({ hit }) => ({ sketch: sketchIn(hit.sketch), lines: () => linesOf(hit) }), read).map(
        ({ hit, nearCopies }) =>
          nearCopies.length === 0 ? hit : { ...hit, nearCopies: nearCopies.map((near) => near.hit) },
      )
    : hits

/** Hits with their near copies. */
export const withNearCopies = (placed: PlacedHit[]): MeiliHit[] =>
  placed.flatMap(({ hit, nearCopies = [] }) => [hit, ...nearCopies])

/** A query with further conditions. */
export const narrowed = (query: SearchParams, conditions: string[]): SearchParams => ({
  ...query,
  filter: [...(Array.isArray(query.filter) ? query.filter : []), ...conditions],
})

/** The query for the matches that are not known: where copies are left out, neither copies of the known ones. */
export function othersThan(known: MeiliHit[], search: MeiliSearch, words: SearchParams): SearchParams {
  const { fold } = search.query
  const keys = fold ? copyKeysOf(known) : []
  const ids = known.filter(({ copyKey }) => !fold || typeof copyKey !== 'string').map(({ id }) => id)
  return narrowed({ ...words, facets: [], ...distinctCopies(search) }, [
    ...(ids.length === 0 ? [] : [`NOT ${isOneOf('id', ids)}`]),
    ...(keys.length === 0 ? [] : [`NOT ${isOneOf('copyKey', keys)}`]),
  ])
}

/**
 * The condition that Meilisearch keeps this skill where it leaves out copies, even if it ranks a copy of it better: all
 * of its copies are left out.
 */
export const keeping = ({ id, copyKey }: MeiliHit): string[] =>
  copyKey === null ? [] : [`(${equals('id', id)} OR NOT ${equals('copyKey', copyKey)})`]

/** What Meilisearch counts for a page. */
interface Counts {
  /** The number of other skills with the text of a hit that the filters admit; 0 where copies are shown. */
  copies: (hit: MeiliHit) => number
  /** The counted query's total and facets. */
  matches: MeiliResponse | undefined
}

/**
 * Counts in one request the copies of hits, and the matches of a query.
 *
 * @param hits of a page
 * @param counted the query whose matches are counted, without copies; null: none are
 */
export async function countMatches(
  { query, conditions, send }: MeiliSearch,
  hits: MeiliHit[],
  counted: SearchParams | null,
): Promise<Counts> {
  const keys = query.fold ? copyKeysOf(hits) : []
  const queries: SearchParams[] = [
    // Without a page, Meilisearch leaves out only the copies of hits that it returns.
    ...(counted === null ? [] : [{ ...counted, limit: 0, facets: query.facets, page: 1, hitsPerPage: 0 }]),
    ...(keys.length === 0
      ? []
      : [{ filter: [...conditions, isOneOf('copyKey', keys)], facets: ['copyKey'], limit: 0 }]),
  ]
  const responses =
    queries.length === 0 ? [] : await send(queries.map((each) => ({ ...each, attributesToRetrieve: [] })))
  const found = keys.length === 0 ? {} : responses.at(-1)?.facetDistribution?.['copyKey']
  return {
    copies: ({ copyKey }) => (found?.[copyKey ?? ''] ?? 1) - 1,
    matches: counted === null ? undefined : responses[0],
  }
}
