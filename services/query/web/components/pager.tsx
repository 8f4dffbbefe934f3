import type { ComponentChildren } from 'preact'

interface Props {
  page: number
  totalPages: number
  /** Renders the link to a page. */
  link: (page: number, rel: 'prev' | 'next', text: string) => ComponentChildren
}

/** The pages of a list. */
export const Pager = ({ page, totalPages, link }: Props) =>
  totalPages <= 1 && page === 1 ? null : (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? link(page - 1, 'prev', '← Previous') : <span />}
      <span class="quiet">{`Page ${page} of ${Math.max(totalPages, 1)}`}</span>
      {page < totalPages ? link(page + 1, 'next', 'Next →') : <span />}
    </nav>
  )
