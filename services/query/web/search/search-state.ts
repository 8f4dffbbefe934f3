import type { Ask, Hit, ListAnswer, SearchAnswer, Stats, StatsAnswer } from '../api/answers.js'

/** What the explorer shows, as its address has it. An empty text is an absent parameter. */
export interface SearchState {
  q: string
  sort: string
  /** From 1. */
  page: number
  topic: string[]
  language: string
  license: string
  owner: string
}

/** The parameters that narrow a search, with the facet that counts their values. */
export const filters = [
  { parameter: 'topic', facet: 'topics', title: 'Topics' },
  { parameter: 'language', facet: 'language', title: 'Languages' },
  { parameter: 'license', facet: 'license', title: 'Licences' },
  { parameter: 'owner', facet: 'owner', title: 'Organizations' },
] as const
export type FilterParameter = (typeof filters)[number]['parameter']

export const nothing: SearchState = { q: '', sort: '', page: 1, topic: [], language: '', license: '', owner: '' }

/** Reads the state from the parameters of an address. */
export function readState(query: URLSearchParams): SearchState {
  const text = (name: string) => (query.get(name) ?? '').trim()
  return {
    q: text('q'),
    sort: text('sort') === 'relevance' ? '' : text('sort'),
    page: Math.max(1, Number.parseInt(text('page'), 10) || 1),
    topic: query.getAll('topic').flatMap((topic) => topic.trim() || []),
    language: text('language'),
    license: text('license'),
    owner: text('owner'),
  }
}

/** The state as parameters, without empty ones. */
export function writeState({ page, topic, ...texts }: SearchState): URLSearchParams {
  const query = new URLSearchParams(Object.entries(texts).filter(([, text]) => text !== ''))
  for (const value of topic) {
    query.append('topic', value)
  }
  if (page > 1) {
    query.set('page', String(page))
  }
  return query
}

/** The address of the explorer in this state. */
export function addressOf(state: SearchState): string {
  const query = writeState(state).toString()
  return query === '' ? '/' : `/?${query}`
}

/** The order of the results. Only a list can be ordered by what is trending; a search is then best match first. */
export function orderOf({ q, sort }: SearchState): string {
  if (q === '') {
    return sort === '' ? 'stars' : sort
  }
  return sort === '' || sort === 'trending' ? 'relevance' : sort
}

/** The orders of a list. */
export const listOrders = [
  { sort: 'stars', text: 'Stars' },
  { sort: 'trending', text: 'Trending' },
  { sort: 'updated', text: 'Updated' },
  { sort: 'created', text: 'Newest' },
  { sort: 'name', text: 'Name' },
] as const

/** By stars and trend, which the skills of a repository share, a list has one of each repository. */
export const isByRepository = (sort: string): boolean => sort === 'stars' || sort === 'trending'

export const isFiltered = (state: SearchState): boolean => filters.some(({ parameter }) => state[parameter].length > 0)

/** Whether one skill of each repository is shown: of all skills, in such an order. */
export const isDistinct = (state: SearchState): boolean =>
  state.q === '' && isByRepository(orderOf(state)) && !isFiltered(state)

/** The title of the page in this state. */
export const titleOf = ({ q }: SearchState): string => (q === '' ? 'Skill Catalog' : `${q} – Skill Catalog`)

/** Whether nothing is searched for: the explorer shows its first view. */
const isFirstView = (state: SearchState): boolean => addressOf(state) === '/'

const isEqual = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The values by which the state filters. */
export const chosenValues = (state: SearchState, parameter: FilterParameter): string[] =>
  [state[parameter]].flat().filter((value) => value !== '')

export const isChosen = (state: SearchState, parameter: FilterParameter, value: string): boolean =>
  chosenValues(state, parameter).some((chosen) => isEqual(chosen, value))

/** The state with a filter in place of the part of the text that looks like it; at the first page. */
export function filterInstead(
  state: SearchState,
  { text, parameter, value }: { text: string; parameter: FilterParameter; value: string },
): SearchState {
  const q = state.q.replaceAll(text, ' ').replaceAll(/\s+/g, ' ').trim()
  return isChosen(state, parameter, value) ? { ...state, q, page: 1 } : toggleFilter({ ...state, q }, parameter, value)
}

/** The state with a filter added, or removed where it is chosen; at the first page. */
export function toggleFilter(state: SearchState, parameter: FilterParameter, value: string): SearchState {
  const chosen = isChosen(state, parameter, value)
  if (parameter === 'topic') {
    const others = state.topic.filter((topic) => !isEqual(topic, value))
    return { ...state, page: 1, topic: chosen ? others : [...others, value] }
  }
  return { ...state, page: 1, [parameter]: chosen ? '' : value }
}

const pageSize = 20

/** Skills in each list of the first view. */
const firstViewSkills = 6

/** The skills of a search or a list. */
export interface Results {
  hits: Hit[]
  /** Of repositories, where only one skill of each is shown. */
  total: number
  totalIsLowerBound: boolean
  totalPages: number
  /** Null in a list, which counts none. */
  facets: SearchAnswer['facets'] | null
  /** Whether the meaning of the text could not count. */
  degraded: boolean
  /** What looks like a filter in the text. */
  hints: NonNullable<SearchAnswer['hints']>
}

/** The lists of the first view. */
interface FirstLists {
  starred: Hit[]
  /** Those that have gained stars in the last 30 days, the most in the last 7 first. */
  trending: Hit[]
  /** Empty where no skill has a time. */
  latest: Hit[]
  /** The time that `latest` is sorted by: `updated` in a catalog that does not know when its skills were created. */
  latestBy: 'created' | 'updated'
}

/** What the explorer shows. */
export interface ExplorerData {
  state: SearchState
  /** Null: not computed yet. */
  stats: Stats | null
  /** The lists of the first view; null while it is not shown. */
  first: FirstLists | null
  /** Null: the first view is shown. */
  results: Results | null
}

/**
 * Reads what the explorer shows in a state: on the server for the first answer, in the browser for the next ones.
 *
 * @param known what was shown before: what does not depend on the state is not read again
 */
export async function loadExplorer(state: SearchState, ask: Ask, known: ExplorerData | null): Promise<ExplorerData> {
  const reads = isFirstView(state)
  const [stats, first, results] = await Promise.all([
    known?.stats ?? loadStats(ask),
    reads ? (known?.first ?? loadFirst(ask)) : (known?.first ?? null),
    reads ? null : loadResults(state, ask),
  ])
  return { state, stats, first, results }
}

// The page is usable without them.
const loadStats = (ask: Ask): Promise<Stats | null> =>
  ask<StatsAnswer>('/api/v1/stats').then(
    ({ data }) => data,
    () => null,
  )

async function loadFirst(ask: Ask): Promise<FirstLists> {
  const list = async (sort: string) =>
    (await ask<ListAnswer>(`/api/v1/skills?sort=${sort}&archived=false&distinct=repository&limit=${firstViewSkills}`))
      .data
  const [created, starred, gaining] = await Promise.all([list('created'), list('stars'), list('trending')])
  const trending = gaining.filter(({ starsGained }) => starsGained !== undefined && starsGained.days30 > 0)
  if (created[0]?.createdAt !== null) {
    return { starred, trending, latest: created, latestBy: 'created' }
  }
  const latest = (await list('updated')).filter(({ updatedAt }) => updatedAt !== null)
  return { starred, trending, latest, latestBy: 'updated' }
}

/** The address of the API that answers the state. */
function apiAddress(state: SearchState): string {
  const query = writeState(state)
  query.set('limit', String(pageSize))
  query.set('page', String(state.page))
  query.set('sort', orderOf(state))
  if (state.q === '') {
    if (isDistinct(state)) {
      query.set('distinct', 'repository')
    }
    return `/api/v1/skills?${query}`
  }
  query.set('highlight', 'true')
  query.set('explain', 'true')
  query.set('facets', filters.map(({ facet }) => facet).join(','))
  return `/api/v1/skills/search?${query}`
}

/** The last page of a search, of which there are 1,000 hits. */
const maxSearchPage = 1_000 / pageSize

async function loadResults(state: SearchState, ask: Ask): Promise<Results> {
  // A page after the last one has no hits, and an address of its own all the same.
  const page = state.q === '' ? state.page : Math.min(state.page, maxSearchPage)
  const answer = await ask<ListAnswer & Partial<SearchAnswer>>(apiAddress({ ...state, page }))
  const { total, totalIsLowerBound, totalPages = 1 } = answer.pagination
  return {
    hits: page === state.page ? answer.data : [],
    total,
    totalIsLowerBound,
    totalPages,
    facets: answer.facets ?? null,
    degraded: answer.degraded ?? false,
    hints: answer.hints ?? [],
  }
}
