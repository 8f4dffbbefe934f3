import { useControls } from '../search/explorer-context.js'
import type { ExplorerData } from '../search/load-explorer.js'
import { chosenValues, filters } from '../search/search-state.js'
import { FilterGroup } from './filter-group.js'

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
