import type { Ask, Hit, ListAnswer, SearchAnswer, Stats, StatsAnswer } from '../api/answers.js'
import { filters, isDistinct, isFirstView, orderOf, type SearchState, writeState } from './search-state.js'

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
