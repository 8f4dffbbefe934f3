import type { Meilisearch, SearchParams, SearchResponse } from 'meilisearch'
import type { FacetName, SearchHit, SearchPage, SearchQuery } from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { searchSettings } from '../../search-settings.js'
import { textKey } from '../../text/analyze.js'
import type { SearchText } from '../../text/parse-search-text.js'
import { matchesIn } from '../../text/skill-matches.js'
import { exactHash, type MeiliDocument } from './meili-documents.js'
import { equals, queryText, sortOrder } from './meili-query.js'
import { type RankingSteps, scoreOfSteps } from './meili-score.js'

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
export async function ask({ client, indexUid }: MeiliSearch, questions: SearchParams[]): Promise<Answer[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>({
    queries: questions.map((question) => ({ indexUid, attributesToRetrieve: [], ...question })),
  })
  return results
}

/** How many documents fit: of all, not of the page. */
export const totalOf = (answer: Answer | undefined): number =>
  Math.min(answer?.estimatedTotalHits ?? 0, searchSettings.counted)

/** The hits of an answer that retrieved the records. */
export const hitsOf = (
  { query, text }: MeiliSearch,
  answer: Answer | undefined,
  score: (steps: RankingSteps) => number | null,
): SearchHit[] =>
  (answer?.hits ?? []).map((hit) => {
    const skill = JSON.parse(hit.skill) as Skill
    return {
      skill,
      score: score((hit._rankingScoreDetails ?? {}) as RankingSteps),
      matches: query.highlight ? matchesIn(skill, text) : null,
    }
  })

/** An answer's facets as asked for: the most frequent values first, equal ones by name. */
export const facetsOf = (facets: FacetName[], answer: Answer | undefined): SearchPage['facets'] =>
  Object.fromEntries(
    facets.map((facet) => [
      facet,
      Object.entries(answer?.facetDistribution?.[facet] ?? {})
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
  const exact = exactMatches(search)
  const reach = query.offset + query.limit
  const fitting: SearchParams = {
    q: queryText(text),
    matchingStrategy: 'all',
    filter: conditions,
    offset: query.offset,
    limit: query.limit,
    showRankingScoreDetails: true,
    attributesToRetrieve: ['skill'],
  }
  const lookUps = exact.map(({ condition }, position): SearchParams => {
    const before = exact.slice(0, position).map((earlier) => `NOT ${earlier.condition}`)
    return { filter: [...conditions, condition, ...before], limit: reach, attributesToRetrieve: ['skill'] }
  })
  const [all, ...lookedUp] = await ask(search, [{ ...fitting, facets: query.facets }, ...lookUps])
  const ahead = lookedUp.reduce((sum, answer) => sum + totalOf(answer), 0)
  // Few texts are just a name; for those the others are asked for once more, without the ones that come first.
  const others = exact.map(({ condition }) => `NOT ${condition}`)
  const [rest] =
    ahead === 0
      ? [all]
      : await ask(search, [
          { ...fitting, filter: [...conditions, ...others], offset: Math.max(0, query.offset - ahead) },
        ])
  const first = lookedUp.flatMap((answer, position) => hitsOf(search, answer, () => exact[position]?.score ?? null))
  return {
    hits: [
      ...first.slice(query.offset, reach),
      ...hitsOf(search, rest, (steps) => scoreOfSteps(steps, text.terms.length)),
    ].slice(0, query.limit),
    total: Math.min(ahead + totalOf(rest), searchSettings.counted),
    facets: facetsOf(query.facets, all),
  }
}

/**
 * Conditions, and scores, of skills whose `owner/repo`, or whose name, is just what was asked for; the better first.
 * None when a text excludes something, for then it names nothing.
 */
function exactMatches({ query, text }: MeiliSearch): { condition: string; score: number }[] {
  if (text.excluded.length > 0 || text.terms.length === 0) {
    return []
  }
  const key = textKey(query.text)
  const name = { condition: equals('nameHashes', exactHash(key)), score: 0.99 }
  // One word is no owner and repository, and a phrase does not reach from one into the other.
  return key.includes(' ') && !text.terms.some(({ quoted }) => quoted)
    ? [{ condition: equals('idHash', exactHash(key)), score: 1 }, name]
    : [name]
}

/** The order of a page by a column, null for one by relevance. */
export const columnOrder = ({ query }: MeiliSearch): string[] | null => sortOrder(query)
