import { useControls } from '../search/explorer-context.js'
import { StateLink } from './state-link.js'

const orders = [
  { sort: 'relevance', text: 'Best match' },
  { sort: 'stars', text: 'Stars' },
  { sort: 'updated', text: 'Updated' },
  { sort: 'created', text: 'Newest' },
  { sort: 'name', text: 'Name' },
] as const

/** The orders of the results; only a search has a best match. */
export function SortLinks() {
  const { wanted } = useControls()
  const usual = wanted.q === '' ? 'stars' : 'relevance'
  const current = wanted.sort === '' ? usual : wanted.sort
  return (
    <nav class="sort-links" aria-label="Order">
      {orders
        .filter(({ sort }) => sort !== 'relevance' || wanted.q !== '')
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
