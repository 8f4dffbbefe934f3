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
  /** Aborted when the time that a search has is over. */
  signal: AbortSignal
}

/** Asks several questions of the index in one request. Each retrieves nothing but what it names. */
export async function ask({ client, indexUid, signal }: MeiliSearch, questions: SearchParams[]): Promise<Answer[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>(
    { queries: questions.map((question) => ({ indexUid, attributesToRetrieve: [], ...question })) },
    { signal },
  )
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

/** Facets as asked for, of how often each value is there: the most frequent values first, equal ones by name. */
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
    facets: facetsOf(query.facets, answer?.facetDistribution),
  }
}

/**
 * What fits all words, best first: skills whose `owner/repo` is just what was asked for, then those whose name is, then
 * the others by the engine's ranking.
 */
export async function rankedPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, text, conditions } = search
  const exact = exactCondition(search)
  const fitting: SearchParams = {
    q: queryText(text),
    matchingStrategy: 'all',
    filter: conditions,
    offset: query.offset,
    limit: query.limit,
    showRankingScoreDetails: true,
    attributesToRetrieve: ['skill'],
  }
  const [all, lookedUp] = await ask(search, [
    { ...fitting, facets: query.facets },
    ...(exact === null ? [] : [lookUp(search, exact)]),
  ])
  const first = await exactFirst(search, lookedUp)
  const ahead = totalOf(lookedUp)
  // On the first page what comes first need only be moved up; later ones are asked for again without it.
  const [others] =
    exact === null || ahead === 0 || query.offset === 0
      ? [all]
      : await ask(search, [
          { ...fitting, filter: [...conditions, `NOT (${exact})`], offset: Math.max(0, query.offset - ahead) },
        ])
  const isFirst = new Set(first.map(({ skill }) => skill.id))
  return {
    hits: [
      ...first.slice(query.offset, query.offset + query.limit),
      ...hitsOf(search, others, (steps) => scoreOfSteps(steps, text.terms.length)).filter(
        ({ skill }) => !isFirst.has(skill.id),
      ),
    ].slice(0, query.limit),
    // Whatever is called just so has all the words too.
    total: totalOf(all),
    facets: facetsOf(query.facets, all?.facetDistribution),
  }
}

/** Skills that meet a condition, as many as the page reaches to, the most starred first. */
const lookUp = ({ query, conditions }: MeiliSearch, condition: string): SearchParams => ({
  filter: [...conditions, condition],
  limit: query.offset + query.limit,
  attributesToRetrieve: ['skill'],
})

/**
 * The condition of skills whose `owner/repo`, or whose name, is just what was asked for. None, null, when a text
 * excludes something, for then it names nothing.
 */
function exactCondition(search: MeiliSearch): string | null {
  const { query, text } = search
  if (text.excluded.length > 0 || text.terms.length === 0) {
    return null
  }
  const name = equals('nameHashes', exactHash(textKey(query.text)))
  return mayBeId(search) ? `${idCondition(search)} OR ${name}` : name
}

const idCondition = ({ query }: MeiliSearch): string => equals('idHash', exactHash(textKey(query.text)))

/** One word is no owner and repository, and a phrase does not reach from one into the other. */
const mayBeId = ({ query, text }: MeiliSearch): boolean =>
  textKey(query.text).includes(' ') && !text.terms.some(({ quoted }) => quoted)

/** Those that were looked up: what has the `owner/repo` asked for before what only has the name. */
async function exactFirst(search: MeiliSearch, lookedUp: Answer | undefined): Promise<SearchHit[]> {
  const hits = hitsOf(search, lookedUp, () => 0.99)
  if (!mayBeId(search) || hits.length === 0) {
    return hits
  }
  // Where more have the name than were read, the one with the id may not be among those.
  const [byId] = totalOf(lookedUp) > hits.length ? await ask(search, [lookUp(search, idCondition(search))]) : [lookedUp]
  const asked = textKey(search.query.text)
  const isAsked = ({ skill }: SearchHit) => textKey(`${skill.owner} ${skill.repo}`) === asked
  return [...hitsOf(search, byId, () => 1).filter(isAsked), ...hits.filter((hit) => !isAsked(hit))]
}

/** The order of a page by a column, null for one by relevance. */
export const columnOrder = ({ query }: MeiliSearch): string[] | null => sortOrder(query)
