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

/** Whether one skill of each repository is shown: of all skills, in an order that the skills of a repository share. */
export const isDistinct = (state: SearchState): boolean =>
  state.q === '' &&
  ['stars', 'trending'].includes(orderOf(state)) &&
  filters.every(({ parameter }) => state[parameter].length === 0)

/** The title of the page in this state. */
export const titleOf = ({ q }: SearchState): string => (q === '' ? 'Skill Catalog' : `${q} – Skill Catalog`)

/** Whether nothing is searched for: the explorer shows its first view. */
export const isFirstView = (state: SearchState): boolean => addressOf(state) === '/'

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
