import { formatNumber } from '../../../../shared/text/format-numbers.js'
import {
  chosenValues,
  type ExplorerData,
  type FilterParameter,
  filters,
  isChosen,
  listOrders,
  orderOf,
  toggleFilter,
} from '../search/search-state.js'
import { useControls } from '../search/use-explorer.js'
import { Icon, StateLink } from './basic.js'

/**
 * The filters of the explorer. A search counts the values of its hits. A list counts none: the largest topics and
 * organizations of the catalog are offered, without numbers.
 */
export function FilterPanel({ data }: { data: ExplorerData }) {
  const { wanted } = useControls()
  const facets = data.results?.facets
  const uncounted = (values: string[] = []) => values.map((value) => ({ value, count: null }))
  const offered = {
    topic: uncounted(data.stats?.topTopics.map(({ topic }) => topic)),
    owner: uncounted(data.stats?.topOrganizations.map(({ login }) => login)),
    language: [],
    license: [],
  }
  const chosen = filters.flatMap(({ parameter }) => chosenValues(wanted, parameter)).length
  return (
    <aside class="filter-panel" aria-label="Filters">
      {/* On narrow screens the styles show the groups while it is open; on wide ones they are always shown, without it. */}
      <details>
        <summary>
          Filters
          {chosen === 0 ? null : <span class="count">{chosen}</span>}
        </summary>
      </details>
      <div class="filter-groups">
        {filters.map(({ parameter, facet, title }) => (
          <FilterGroup
            key={parameter}
            parameter={parameter}
            title={title}
            values={facets?.[facet] ?? offered[parameter]}
          />
        ))}
      </div>
    </aside>
  )
}

/** Values that a group offers in addition to the chosen ones. */
const offered = 8

interface Props {
  parameter: FilterParameter
  title: string
  /** The values to choose from; a count is null where it is not known. */
  values: { value: string; count: number | null }[]
}

/** The values of one filter as links, the chosen ones first. */
function FilterGroup({ parameter, title, values }: Props) {
  const { wanted } = useControls()
  const chosen = chosenValues(wanted, parameter)
  const others = values.filter(({ value }) => !isChosen(wanted, parameter, value)).slice(0, offered)
  if (chosen.length + others.length === 0) {
    return null
  }
  const titleId = `filter-${parameter}`
  const linkId = (value: string) => `${titleId}-${encodeURIComponent(value.toLowerCase())}`
  return (
    <section class="filter-group">
      <h2 id={titleId}>{title}</h2>
      <ul aria-labelledby={titleId}>
        {chosen.map((value) => (
          <li key={value}>
            <StateLink
              id={linkId(value)}
              class="filter"
              aria-current="true"
              change={(state) => toggleFilter(state, parameter, value)}
            >
              <span dir="auto">{value}</span>
              <span class="hidden-text">, remove the filter</span>
              <Icon name="close" />
            </StateLink>
          </li>
        ))}
        {others.map(({ value, count }) => (
          <li key={value}>
            <StateLink id={linkId(value)} class="filter" change={(state) => toggleFilter(state, parameter, value)}>
              <span dir="auto">{value}</span>
              {count === null ? null : <span class="count">{formatNumber(count)}</span>}
            </StateLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

const orders = [{ sort: 'relevance', text: 'Best match' }, ...listOrders] as const

/** The orders of the results; only a search has a best match, only a list has trends. */
export function SortLinks() {
  const { wanted } = useControls()
  const current = orderOf(wanted)
  const absent = wanted.q === '' ? 'relevance' : 'trending'
  return (
    <nav class="sort-links" aria-label="Order">
      {orders
        .filter(({ sort }) => sort !== absent)
        .map(({ sort, text }) => (
          <StateLink
            key={sort}
            id={`sort-${sort}`}
            aria-current={sort === current ? 'true' : undefined}
            // Without words, the usual order is written out: the address without it is that of the first view.
            change={(state) => ({ ...state, page: 1, sort: sort === 'relevance' ? '' : sort })}
          >
            {text}
          </StateLink>
        ))}
    </nav>
  )
}
