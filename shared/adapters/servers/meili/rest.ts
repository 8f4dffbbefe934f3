import type { SearchParams } from 'meilisearch'
import { copyKeysOf } from './copies.js'
import type { MeiliHit } from './multi-search.js'
import { distinctCopies, type MeiliSearch } from './prepared-search.js'
import { isOneOf } from './query.js'

/**
 * Reads a range of the other matches of a query.
 *
 * @param first the hits that are known; neither they nor, where copies are left out, their copies are read
 */
export async function readRest(
  search: MeiliSearch,
  words: SearchParams,
  first: MeiliHit[],
  range: { offset: number; limit: number },
): Promise<MeiliHit[]> {
  const { fold } = search.query
  const copies = fold ? copyKeysOf(first) : []
  const ids = first.filter(({ copyKey }) => !fold || typeof copyKey !== 'string').map(({ id }) => id)
  const filter = [
    ...(Array.isArray(words.filter) ? words.filter : []),
    ...(ids.length === 0 ? [] : [`NOT ${isOneOf('id', ids)}`]),
    ...(copies.length === 0 ? [] : [`NOT ${isOneOf('copyKey', copies)}`]),
  ]
  const [found] = await search.send([{ ...words, filter, facets: [], ...distinctCopies(search), ...range }])
  return found?.hits ?? []
}
