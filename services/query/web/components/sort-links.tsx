import { useControls } from '../search/explorer-context.js'
import { orderOf } from '../search/search-state.js'
import { StateLink } from './state-link.js'

const orders = [
  { sort: 'relevance', text: 'Best match' },
  { sort: 'stars', text: 'Stars' },
  { sort: 'trending', text: 'Trending' },
  { sort: 'updated', text: 'Updated' },
  { sort: 'created', text: 'Newest' },
  { sort: 'name', text: 'Name' },
] as const

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
