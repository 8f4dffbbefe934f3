import type { SearchParams } from 'meilisearch'
import type { SearchPage } from '../../ports/search-index.js'
import { searchSettings } from '../../search-settings.js'
import type { SearchTerm } from '../../text/parse-search-text.js'
import type { MeiliDocument } from './meili-documents.js'
import { isOneOf, queryText } from './meili-query.js'
import { ask, columnOrder, facetsOf, hitsOf, type MeiliSearch, totalOf } from './meili-search.js'

/** A skill that has some of the words. */
interface Partial {
  id: string
  words: number
  rank: number
}

/**
 * What has at least one of the words, most of them first: asked for only when nothing has them all. The engine can
 * leave out words from the end of a query only, so each word is looked up by itself, and the lists are laid upon each
 * other.
 */
export async function partialPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, text } = search
  const sort = columnOrder(search)
  const { found, total } = await partialMatches(search)
  const ids = found.map(({ id }) => id)
  const page = ids.slice(query.offset, query.offset + query.limit)
  const [records, all] = await ask(search, [
    sort === null
      ? { filter: isOneOf(page), limit: page.length, attributesToRetrieve: ['skill'] }
      : { filter: isOneOf(ids), sort, offset: query.offset, limit: query.limit, attributesToRetrieve: ['skill'] },
    ...(query.facets.length === 0 ? [] : [{ filter: isOneOf(ids), limit: 0, facets: query.facets }]),
  ])
  const facets = facetsOf(query.facets, all)
  const hits = hitsOf(search, records, () => null)
  if (sort !== null) {
    return { hits, total, facets }
  }
  const words = new Map(found.map((match) => [match.id, match.words]))
  // Below the score of whatever has all the words.
  const score = (id: string) => Math.round((2_000 * (words.get(id) ?? 0)) / (text.terms.length + 1)) / 10_000
  return {
    hits: hits
      .map((hit) => ({ ...hit, score: score(hit.skill.id) }))
      .sort((a, b) => page.indexOf(a.skill.id) - page.indexOf(b.skill.id)),
    total,
    facets,
  }
}

/** All that have any of the words, or the best of each word where they are many; most words first, then by rank. */
async function partialMatches(search: MeiliSearch): Promise<{ found: Partial[]; total: number }> {
  const { terms } = search.text
  const limit = depthOf(search)
  const single = await askForTerms(
    search,
    terms.map((term) => [term]),
    limit,
  )
  const matches = new Map<string, Partial>()
  for (const { hits } of single) {
    for (const hit of hits) {
      const match = matches.get(hit.id) ?? asMatch(hit)
      matches.set(hit.id, { ...match, words: match.words + 1 })
    }
  }
  const isWhole = single.every((answer) => totalOf(answer) <= answer.hits.length)
  const several: { terms: SearchTerm[]; total: number }[] = []
  if (!isWhole) {
    // Lists that end early may miss what has several of the words, so that is asked for too.
    const there = terms.filter((_, position) => single[position]?.hits.length)
    const lists = [there, ...there.map((left) => there.filter((term) => term !== left))].filter(
      (some) => some.length > 1 && some.length < terms.length,
    )
    const answers = await askForTerms(search, lists, limit)
    for (const [position, list] of lists.entries()) {
      const answer = answers[position]
      several.push({ terms: list, total: totalOf(answer) })
      for (const hit of answer?.hits ?? []) {
        const match = matches.get(hit.id) ?? asMatch(hit)
        matches.set(hit.id, { ...match, words: Math.max(match.words, list.length) })
      }
    }
  }
  const found = [...matches.values()].sort((a, b) => b.words - a.words || a.rank - b.rank || (a.id < b.id ? -1 : 1))
  return { found, total: isWhole ? found.length : Math.max(found.length, unionOf(single.map(totalOf), several)) }
}

/**
 * How many are read of each list. Of up to three words every combination is asked for, so that the first ones of each
 * are all that a page can show; of more words, and where facets or another order need all of them, as many as may be.
 */
function depthOf({ query, text }: MeiliSearch): number {
  const byCombinations = text.terms.length <= 3 && query.facets.length === 0 && query.sort === 'relevance'
  return byCombinations ? query.offset + query.limit : searchSettings.maxReach
}

/** How many have any of the words, from how many have each and how many have several; of many words, a lower bound. */
function unionOf(single: number[], several: { terms: SearchTerm[]; total: number }[]): number {
  const found = single.filter((total) => total > 0)
  if (found.length > 3) {
    return Math.max(...found)
  }
  const union = several.reduce(
    (sum, { terms, total }) => sum + (terms.length % 2 === 0 ? -total : total),
    found.reduce((sum, total) => sum + total, 0),
  )
  return Math.min(union, searchSettings.counted)
}

const asMatch = ({ id, rank }: MeiliDocument): Partial => ({ id, words: 0, rank })

/** For each list of terms, the first that have all of them: in the order asked for, else the most starred. */
async function askForTerms(search: MeiliSearch, lists: SearchTerm[][], limit: number) {
  if (lists.length === 0) {
    return []
  }
  const sort = columnOrder(search) ?? ['rank:asc']
  return ask(
    search,
    lists.map(
      (terms): SearchParams => ({
        q: queryText(search.text, terms),
        filter: search.conditions,
        matchingStrategy: 'all',
        limit,
        attributesToRetrieve: ['id', 'rank'],
        sort,
      }),
    ),
  )
}
