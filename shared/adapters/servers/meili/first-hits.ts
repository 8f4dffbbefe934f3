import type { SearchParams } from 'meilisearch'
import { searchSettings } from '../../../search-settings.js'
import { anyWordQuery } from './any-word.js'
import { maxCandidates } from './candidates.js'
import type { FacetDistribution, MeiliHit } from './multi-search.js'
import { allows, type NearHit, nearEnough, nearestTo } from './nearest.js'
import {
  distinctCopies,
  isNamed,
  type MeiliSearch,
  maxNamed,
  retrieved,
  totalOf,
  withCondition,
} from './prepared-search.js'
import { queryText } from './query.js'

/** Skills found by words that are folded, and fused with the nearest: more of them would not reach the first pages. */
const maxOrdered = 60

/** What the first request has found. */
export interface FirstHits {
  /** Those whose `owner/repo` or name is the text. */
  named: MeiliHit[]
  /** The other ones with words of the text, in the order of Meilisearch. */
  worded: MeiliHit[]
  near: NearHit[]
  /** The query for `worded`. */
  words: SearchParams
  /** Matches by words, copies too. */
  total: number
  /** Whether there are more matches by words than were read. */
  areMore: boolean
  /** Of the matches by words, copies too. */
  facets: FacetDistribution[]
}

/** Reads the hits that are put in order here. Where places are fused, they are the same for each page. */
export async function readFirst(search: MeiliSearch): Promise<FirstHits> {
  const { query, text, conditions, meaning, send } = search
  const until = query.offset + query.limit
  const { facets } = query
  const isFixed = meaning !== null || query.fold
  const maxTop = isFixed ? maxOrdered : maxCandidates
  const namedLimit = Math.max(until, maxNamed)
  const wordedLimit = !isFixed && query.offset < maxTop ? Math.max(until, maxTop) : maxTop
  const words: SearchParams = {
    q: queryText(text),
    matchingStrategy: 'frequency',
    filter: [...conditions, `NOT ${isNamed(text)}`],
    limit: wordedLimit,
    facets,
    attributesToRetrieve: retrieved,
  }
  const [named, worded, nearest] = await send([
    { ...withCondition(search, isNamed(text), namedLimit), facets },
    words,
    ...(meaning === null
      ? []
      : [
          {
            ...nearestTo(meaning.vector, meaning.embedder, conditions, searchSettings.maxNearest),
            ...distinctCopies(search),
          },
        ]),
  ])
  const isEmpty = totalOf(named) + totalOf(worded) === 0
  const anyWord = isEmpty ? await anyWordQuery(search, words) : null
  const found = anyWord === null ? worded : (await send([anyWord]))[0]
  return {
    named: named?.hits ?? [],
    worded: found?.hits ?? [],
    near: nearEnough(nearest).filter(({ hit }) => allows(text, hit)),
    words: anyWord ?? { ...words, filter: conditions },
    total: totalOf(named) + totalOf(found),
    areMore: (named?.hits.length ?? 0) >= namedLimit || (found?.hits.length ?? 0) >= wordedLimit,
    facets: [named?.facetDistribution ?? {}, found?.facetDistribution ?? {}],
  }
}
