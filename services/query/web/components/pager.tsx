import type { ComponentChildren } from 'preact'
import { formatCount } from '../../../../shared/text/format-numbers.js'
import { Notice } from './notice.js'

interface Props {
  page: number
  totalPages: number
  /** Renders the link to a page. */
  link: (page: number, rel: 'prev' | 'next', text: string) => ComponentChildren
}

/** The pages of a list; after the last one, where to find it. */
export function Pager({ page, totalPages, link }: Props) {
  if (totalPages <= 1 && page === 1) {
    return null
  }
  if (page > totalPages && totalPages > 0) {
    return (
      <Notice title={`There is no page ${page}`}>
        <p>{totalPages === 1 ? 'Everything is on one page.' : `There are ${formatCount(totalPages, 'pages')}.`}</p>
        <p>{link(totalPages, 'prev', totalPages === 1 ? 'Go to it' : 'Go to the last one')}</p>
      </Notice>
    )
  }
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? link(page - 1, 'prev', '← Previous') : <span />}
      <span class="quiet">{`Page ${page} of ${Math.max(totalPages, 1)}`}</span>
      {page < totalPages ? link(page + 1, 'next', 'Next →') : <span />}
    </nav>
  )
}
