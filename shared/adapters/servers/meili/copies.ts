import type { MeiliHit } from './multi-search.js'
import type { PlacedHit } from './places.js'
import type { MeiliSearch } from './prepared-search.js'
import { equals, excludedText, isOneOf } from './query.js'

/** The copy keys of hits. */
export const copyKeysOf = (hits: MeiliHit[]): string[] => [
  ...new Set(hits.flatMap(({ copyKey }) => (typeof copyKey === 'string' ? [copyKey] : []))),
]

/** The hits of a query that leaves out copies, with the number of their copies that the filters admit. */
export async function withCopies(
  { query, text, conditions, send }: MeiliSearch,
  placed: PlacedHit[],
): Promise<PlacedHit[]> {
  const keys = query.fold ? copyKeysOf(placed.map(({ hit }) => hit)) : []
  if (keys.length === 0) {
    return placed
  }
  const [response] = await send([
    { q: excludedText(text), filter: [...conditions, isOneOf('copyKey', keys)], facets: ['copyKey'], limit: 0 },
  ])
  const counts = response?.facetDistribution?.['copyKey'] ?? {}
  return placed.map((each) => ({ ...each, duplicates: Math.max(0, (counts[each.hit.copyKey ?? ''] ?? 1) - 1) }))
}

/**
 * The condition that Meilisearch keeps this skill where it leaves out copies, even if it ranks a copy of it better: all
 * of its copies are left out.
 */
export const keeping = ({ id, copyKey }: MeiliHit): string[] =>
  copyKey === null ? [] : [`(${equals('id', id)} OR NOT ${equals('copyKey', copyKey)})`]
