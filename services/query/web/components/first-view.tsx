import type { ExplorerData } from '../search/load-explorer.js'
import { nothing } from '../search/search-state.js'
import { CompactList } from './compact-list.js'
import { EmptyCatalog } from './notice.js'
import { StateLink } from './state-link.js'
import { TopicLinks } from './topic-links.js'
import { Totals } from './totals.js'

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
        <section class="block" aria-labelledby="starred">
          <div class="block-head">
            <h2 id="starred">Most starred</h2>
            <StateLink change={() => ({ ...nothing, sort: 'stars' })}>All by stars</StateLink>
          </div>
          <CompactList skills={first.starred} fact="stars" />
        </section>
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
