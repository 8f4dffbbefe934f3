import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { Listing, type ListingData } from '../components/listing.js'
import { PageHead } from '../components/page-head.js'
import { Pager } from '../components/pager.js'
import { topicPath } from '../components/topic-links.js'

export interface IndexData {
  kind: 'organizations' | 'topics'
  title: string
  /** Those of this page. */
  values: { value: string; skills: number }[]
  /** The number of all that are listed. */
  total: number
  /** Whether there may be more that are not listed. */
  isCut: boolean
  page: number
  totalPages: number
}

/** All organizations or topics, those with the most skills first. */
export const IndexView = ({ kind, title, values, total, isCut, page, totalPages }: IndexData) => (
  <div class="listing-view">
    <PageHead kind="All of the catalog" title={title}>
      <p class="quiet">
        {isCut
          ? `The ${formatNumber(total)} with the most skills. Search finds the others.`
          : `${formatCount(total, kind)}, those with the most skills first.`}
      </p>
    </PageHead>
    <section class="results" aria-label={title}>
      <ul class="index-list">
        {values.map(({ value, skills }) => (
          <li key={value}>
            <a dir="auto" href={kind === 'topics' ? topicPath(value) : `/organizations/${value}`}>
              {value}
            </a>{' '}
            <span class="quiet small">{formatCount(skills, 'skills')}</span>
          </li>
        ))}
      </ul>
      <Pager
        page={page}
        totalPages={totalPages}
        link={(number, rel, text) => (
          <a href={number === 1 ? `/${kind}` : `/${kind}?page=${number}`} rel={rel}>
            {text}
          </a>
        )}
      />
    </section>
  </div>
)

/** The repositories of the catalog, each with its first skill. */
export const RepositoriesView = (listing: ListingData) => (
  <div class="listing-view">
    <PageHead kind="All of the catalog" title="Repositories">
      <p class="quiet">Each with the first of its skills in this order, and how many more it has.</p>
    </PageHead>
    <Listing {...listing} />
  </div>
)
