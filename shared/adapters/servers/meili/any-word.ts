import type { SearchParams } from 'meilisearch'
import { informativeTerms } from '../../../text/concepts.js'
import { maxCandidates } from './candidates.js'
import type { MeiliSearch } from './prepared-search.js'
import { isOneOf, queryText } from './query.js'

/**
 * The query, where it finds nothing, for skills with any of the words: Meilisearch leaves out words of the same
 * frequency together.
 *
 * @returns null when there are no such skills
 */
export async function anyWordQuery(
  { text, conditions, send }: MeiliSearch,
  query: SearchParams,
): Promise<SearchParams | null> {
  const words = informativeTerms(text).informative.map((term) =>
    queryText({ ...text, terms: [term], lastIsPrefix: text.lastIsPrefix && term === text.terms.at(-1) }),
  )
  if (words.length < 2) {
    return null
  }
  const found = await send(
    words.map((q) => ({ q, filter: conditions, limit: maxCandidates, attributesToRetrieve: ['id'] })),
  )
  const ids = new Set(found.flatMap(({ hits }) => hits.map(({ id }) => id)))
  return ids.size === 0 ? null : { ...query, q: '', filter: [...conditions, isOneOf('id', ids)] }
}
