import { formatCount } from '../../../../shared/text/format-numbers.js'
import type { Hit, ListAnswer } from '../api/answers.js'
import { type ExplorerData, isByRepository, listOrders, nothing } from '../search/search-state.js'
import { EmptyCatalog, StateLink, TopicLinks } from './basic.js'
import { Totals } from './charts.js'
import { Pager } from './results-view.js'
import { CompactList, SkillList } from './skills.js'

const isEmpty = ({ stats, first }: Pick<ExplorerData, 'stats' | 'first'>): boolean =>
  (stats === null || stats.totals.skills === 0) && first !== null && first.starred.length + first.latest.length === 0

/** What the explorer shows below the search box before anything is searched for. */
export const FirstView = ({ stats, first }: Pick<ExplorerData, 'stats' | 'first'>) => (
  <>
    {stats === null || stats.totals.skills === 0 ? null : <Totals totals={stats.totals} />}
    {stats === null || stats.topTopics.length === 0 ? null : (
      <section class="block" aria-labelledby="topics">
        <div class="block-head">
          <h2 id="topics">Topics</h2>
          <a href="/topics">All topics</a>
        </div>
        <TopicLinks topics={stats.topTopics.map(({ topic }) => topic)} label="The largest topics" />
      </section>
    )}
    {isEmpty({ stats, first }) ? <EmptyCatalog /> : null}
    {first === null || isEmpty({ stats, first }) ? null : (
      <div class="columns">
        {first.trending.length === 0 ? null : (
          <section class="block" aria-labelledby="trending">
            <div class="block-head">
              <h2 id="trending">Trending</h2>
              <StateLink change={() => ({ ...nothing, sort: 'trending' })}>All by trend</StateLink>
            </div>
            <CompactList skills={first.trending} fact="gained" />
          </section>
        )}
        {first.starred.length === 0 ? null : <FirstSkills skills={first.starred} />}
        {first.latest.length === 0 ? null : (
          <section class="block" aria-labelledby="latest">
            <div class="block-head">
              <h2 id="latest">{first.latestBy === 'created' ? 'Newest' : 'Latest updates'}</h2>
              <StateLink change={() => ({ ...nothing, sort: first.latestBy })}>All by date</StateLink>
            </div>
            <CompactList skills={first.latest} fact={first.latestBy} />
          </section>
        )}
      </div>
    )}
    <section class="block for-programs" aria-labelledby="for-programs">
      <h2 id="for-programs">For programs and agents</h2>
      <p>
        Everything on these pages comes from a public API, without a key. Read <a href="/docs">the API</a>, or{' '}
        <a href="/dataset">download the whole dataset</a>.
      </p>
    </section>
  </>
)

/** The most starred skills; in a catalog that does not know any stars, the first ones. */
const FirstSkills = ({ skills }: { skills: Hit[] }) => {
  const areStarred = skills[0]?.stars !== null
  return (
    <section class="block" aria-labelledby="starred">
      <div class="block-head">
        <h2 id="starred">{areStarred ? 'Most starred' : 'Skills'}</h2>
        <StateLink change={() => ({ ...nothing, sort: areStarred ? 'stars' : 'name' })}>
          {areStarred ? 'All by stars' : 'All by name'}
        </StateLink>
      </div>
      <CompactList skills={skills} fact="stars" />
    </section>
  )
}

/** A page of a list of skills, and the parameters it was asked with. */
export interface ListingData {
  list: ListAnswer
  sort: string
  /** Whether it has one skill of each repository in every order; else in those in which these share their place. */
  isOfRepositories?: boolean
  path: string
}

/** What the total of a list counts. */
export const countedIn = (sort: string): 'repositories' | 'skills' => (isByRepository(sort) ? 'repositories' : 'skills')

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
          {listOrders.map(({ sort: order, text }) => (
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
