import { formatNumber } from '../../../../shared/text/format-numbers.js'
import { useControls } from '../search/explorer-context.js'
import { chosenValues, type FilterParameter, isChosen, toggleFilter } from '../search/search-state.js'
import { Icon } from './icon.js'
import { StateLink } from './state-link.js'

/** Values that a group offers in addition to the chosen ones. */
const offered = 8

interface Props {
  parameter: FilterParameter
  title: string
  /** The values to choose from; a count is null where it is not known. */
  values: { value: string; count: number | null }[]
}

/** The values of one filter as links, the chosen ones first. */
export function FilterGroup({ parameter, title, values }: Props) {
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
