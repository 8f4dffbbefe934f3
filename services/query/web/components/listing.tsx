import { formatCount } from '../../../../shared/text/format-numbers.js'
import type { ListAnswer } from '../api/answers.js'
import { Pager } from './pager.js'
import { SkillList } from './skill-list.js'

/** A page of a list of skills, and the parameters it was asked with. */
export interface ListingData {
  list: ListAnswer
  sort: string
  /** Whether it has one skill of each repository in every order; else in those in which these share their place. */
  isOfRepositories?: boolean
  /** The path of the page. */
  path: string
}

const orders = [
  ['stars', 'Stars'],
  ['trending', 'Trending'],
  ['updated', 'Updated'],
  ['created', 'Newest'],
  ['name', 'Name'],
] as const

/** By stars and trend, which the skills of a repository share, the list has one of each repository. */
export const isDistinct = (sort: string): boolean => sort === 'stars' || sort === 'trending'

/** What the total of a list counts. */
export const countedIn = (sort: string): 'repositories' | 'skills' => (isDistinct(sort) ? 'repositories' : 'skills')

/** The address of a page of the list, without what is usual. */
export const listingAddress = (path: string, sort: string, page: number): string => {
  const query = new URLSearchParams([
    ...(sort === 'stars' ? [] : [['sort', sort]]),
    ...(page === 1 ? [] : [['page', String(page)]]),
  ]).toString()
  return query === '' ? path : `${path}?${query}`
}

/** Skills in an order to choose, page by page, each page with an address. */
export const Listing = ({ list, sort, path, isOfRepositories = false }: ListingData) => {
  const { total, totalIsLowerBound, page = 1, totalPages = 1 } = list.pagination
  return (
    <section class="results" aria-label="Skills">
      <div class="results-head">
        <p>{`${formatCount(total, isOfRepositories ? 'repositories' : countedIn(sort))}${totalIsLowerBound ? ' or more' : ''}`}</p>
        <nav class="sort-links" aria-label="Order">
          {orders.map(([order, text]) => (
            <a key={order} href={listingAddress(path, order, 1)} aria-current={order === sort ? 'true' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      </div>
      <SkillList skills={list.data} label="Skills" />
      <Pager
        page={page}
        totalPages={totalPages}
        link={(number, rel, text) => (
          <a href={listingAddress(path, sort, number)} rel={rel}>
            {text}
          </a>
        )}
      />
    </section>
  )
}
