import type { Meilisearch, SearchParams, SearchResponse } from 'meilisearch'
import type { FacetName, SearchHit, SearchPage, SearchQuery } from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { textKey } from '../../text/analyze.js'
import type { SearchText } from '../../text/parse-search-text.js'
import { exactHash, type MeiliDocument } from './meili-documents.js'
import { matchesIn } from './meili-matches.js'
import { equals, queryText, sortOrder } from './meili-query.js'

/** Values shown of a facet. */
const maxFacetValues = 20

type Answer = SearchResponse<MeiliDocument>

/** A search made ready for one index. */
export interface MeiliSearch {
  client: Meilisearch
  indexUid: string
  query: SearchQuery
  text: SearchText
  /** What the query's filters ask for: conditions that must all hold. */
  conditions: string[]
}

/** Asks several questions of the index in one request. Each retrieves nothing but what it names. */
export async function ask<Questions extends SearchParams[]>(
  { client, indexUid }: MeiliSearch,
  questions: [...Questions],
): Promise<{ [position in keyof Questions]: Answer }> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>({
    queries: questions.map((question) => ({ indexUid, attributesToRetrieve: [], ...question })),
  })
  // One answer for each question, in their order.
  return results as unknown as { [position in keyof Questions]: Answer }
}

/** How many documents fit: of all, not of the page. */
export const totalOf = (answer: Answer): number => answer.estimatedTotalHits ?? 0

/** The hits of an answer that retrieved the records. */
export const hitsOf = (
  { query, text }: MeiliSearch,
  answer: Answer,
  score: (rankingScore: number) => number | null,
): SearchHit[] =>
  answer.hits.map((hit) => {
    const skill = JSON.parse(hit.skill) as Skill
    return {
      skill,
      score: score(hit._rankingScore ?? 0),
      matches: query.highlight ? matchesIn(skill, text) : null,
    }
  })

/** An answer's facets as asked for: the most frequent values first, equal ones by name. */
export const facetsOf = (facets: FacetName[], answer: Answer): SearchPage['facets'] =>
  Object.fromEntries(
    facets.map((facet) => [
      facet,
      Object.entries(answer.facetDistribution?.[facet] ?? {})
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, maxFacetValues),
    ]),
  )

/** What fits all words, in the order of a column. */
export async function sortedPage(search: MeiliSearch, sort: string[]): Promise<SearchPage> {
  const { query, text, conditions } = search
  const [answer] = await ask(search, [
    {
      q: queryText(text),
      filter: conditions,
      matchingStrategy: 'all',
      sort,
      offset: query.offset,
      limit: query.limit,
      facets: query.facets,
      attributesToRetrieve: ['skill'],
    },
  ])
  return {
    hits: hitsOf(search, answer, () => null),
    total: totalOf(answer),
    facets: facetsOf(query.facets, answer),
  }
}

/**
 * What fits all words, best first: skills whose `owner/repo` is just what was asked for, then those whose name is, then
 * the others by the engine's ranking.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, text, conditions } = search
  const exact = exactConditions(search)
  const reach = query.offset + query.limit
  const others: SearchParams = {
    q: queryText(text),
    filter: [...conditions, ...(exact === null ? [] : [`NOT (${exact.id} OR ${exact.name})`])],
    matchingStrategy: 'all',
    limit: query.limit,
    showRankingScore: true,
    attributesToRetrieve: ['skill'],
  }
  const [best, named, rest, all] = await ask(search, [
    lookUp(exact === null ? null : [...conditions, exact.id], reach),
    lookUp(exact === null ? null : [...conditions, exact.name, `NOT ${exact.id}`], reach),
    { ...others, offset: query.offset },
    { q: queryText(text), filter: conditions, matchingStrategy: 'all', limit: 0, facets: query.facets },
  ])
  const first = [...hitsOf(search, best, () => 1), ...hitsOf(search, named, () => 0.99)]
  const ahead = totalOf(best) + totalOf(named)
  // Only a page behind the first has to know how many exact ones there are before it can say what follows them.
  const [moved] =
    ahead > 0 && query.offset > 0
      ? await ask(search, [{ ...others, offset: Math.max(0, query.offset - ahead) }])
      : [rest]
  const hits = [...first.slice(query.offset, reach), ...hitsOf(search, moved, (score) => scoreOf(text, score))]
  return {
    hits: hits.slice(0, query.limit),
    total: ahead + totalOf(rest),
    facets: facetsOf(query.facets, all),
  }
}

/** Scores of matches with all words lie between 0.2 and 0.97; the exact ones are above. */
const scoreOf = (text: SearchText, rankingScore: number): number =>
  text.terms.length === 0 ? 0 : Math.round((0.2 + 0.77 * rankingScore) * 10_000) / 10_000

/**
 * Conditions for skills whose `owner/repo`, or whose name, is just what was asked for; null when a text excludes
 * something, for then it names nothing.
 */
function exactConditions({ query, text }: MeiliSearch): { id: string; name: string } | null {
  if (text.excluded.length > 0 || text.terms.length === 0) {
    return null
  }
  const hash = exactHash(textKey(query.text))
  return { id: equals('idHash', hash), name: equals('nameHashes', hash) }
}

/** A question for the records under some conditions, most starred first; null: for nothing. */
const lookUp = (conditions: string[] | null, limit: number): SearchParams =>
  conditions === null
    ? { filter: 'id NOT EXISTS', limit: 0 }
    : { filter: conditions, limit, attributesToRetrieve: ['skill'] }

/** The order of a page by a column, null for one by relevance. */
export const columnOrder = ({ query }: MeiliSearch): string[] | null => sortOrder(query)
