import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatCount } from '../../../../shared/text/format-numbers.js'
import { currentQuota, type Quota, type Refusal } from '../api/fetch-answer.js'
import {
  type ExplorerData,
  filterInstead,
  isDistinct,
  isFiltered,
  nothing,
  type Results,
  type SearchState,
} from '../search/search-state.js'
import { resultsId, useControls } from '../search/use-explorer.js'
import { Countdown, EmptyCatalog, Notice, StateLink } from './basic.js'
import { FilterPanel, SortLinks } from './filters.js'
import { SkillList } from './skills.js'

const summary = ({ total, totalIsLowerBound }: Results, state: SearchState): string =>
  `${formatCount(total, isDistinct(state) ? 'repositories' : 'skills')}${totalIsLowerBound ? ' or more' : ''}${state.q === '' ? '' : ` for “${state.q}”`}`

function NoResults({ wanted, isEmpty }: { wanted: SearchState; isEmpty: boolean }) {
  return isEmpty ? (
    <EmptyCatalog />
  ) : (
    <Notice title="No skill matches">
      <p>
        {wanted.q === '' ? null : 'Use fewer or other words. '}
        You can also{' '}
        {wanted.q === '' || !isFiltered(wanted) ? null : (
          <>
            <StateLink change={() => ({ ...nothing, q: wanted.q })}>search without filters</StateLink>, or{' '}
          </>
        )}
        <StateLink change={() => ({ ...nothing, sort: 'stars' })}>see all skills</StateLink>.
      </p>
    </Notice>
  )
}

/** Whether no word of the text is in any of these skills. */
const areNearest = ({ hits }: Results): boolean =>
  hits.length > 0 && hits.every(({ explanation }) => explanation?.placement === 'meaning')

interface ResultsViewProps {
  data: ExplorerData
  results: Results
  /** Whether the results are not those that the reader wants. */
  isStale: boolean
  isBusy: boolean
}

/** The results of a search or of filters. */
export function ResultsView({ data, results, isStale, isBusy }: ResultsViewProps) {
  const { wanted } = useControls()
  const { page } = data.state
  return (
    <div class="results-columns">
      <FilterPanel data={data} />
      <section class="results" id={resultsId} tabIndex={-1} aria-labelledby="result-count">
        <div class="results-head">
          <p id="result-count" role="status" dir="auto">
            {isStale ? '' : summary(results, data.state)}
          </p>
          <SortLinks />
        </div>
        {results.degraded ? (
          <p class="quiet small">
            A model of this catalog does not answer at the moment: the words of your text count more than usual.
          </p>
        ) : null}
        {areNearest(results) && !isStale ? (
          <p class="quiet small">None of these skills has words of your text. They are the nearest in meaning.</p>
        ) : null}
        {isStale
          ? null
          : results.hints.map((hint) => (
              <p class="quiet small" key={hint.text}>
                <bdi>{hint.text}</bdi> is searched for as text.{' '}
                <StateLink change={(state) => filterInstead(state, hint)}>
                  Show only the {hint.parameter === 'license' ? 'licence' : hint.parameter} <bdi>{hint.value}</bdi>
                </StateLink>
              </p>
            ))}
        {results.total === 0 && !isStale ? (
          <NoResults wanted={wanted} isEmpty={data.stats?.totals.skills === 0} />
        ) : null}
        <SkillList skills={results.hits} label="Skills" isBusy={isBusy || isStale} />
        <Pager
          page={page}
          totalPages={results.totalPages}
          link={(number, rel, text) => (
            <StateLink rel={rel} change={(state) => ({ ...state, page: number })}>
              {text}
            </StateLink>
          )}
        />
      </section>
    </div>
  )
}

interface PagerProps {
  page: number
  totalPages: number
  link: (page: number, rel: 'prev' | 'next', text: string) => ComponentChildren
}

/** The pages of a list; after the last one, where to find it. Nothing where there is one page, or none. */
export function Pager({ page, totalPages, link }: PagerProps) {
  if (totalPages === 0 || (totalPages === 1 && page === 1)) {
    return null
  }
  if (page > totalPages) {
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
      <span class="quiet">{`Page ${page} of ${totalPages}`}</span>
      {page < totalPages ? link(page + 1, 'next', 'Next →') : <span />}
    </nav>
  )
}

interface FailureNoticeProps {
  failure: Refusal
  retry: () => void
}

/** Why the results cannot be shown, and when they are asked for again. */
export function FailureNotice({ failure, retry }: FailureNoticeProps) {
  const { status, explanation, retryAfterSeconds } = failure
  const isOffline = status === 0 && !navigator.onLine
  useEffect(() => {
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return (
    <Notice title={isOffline ? 'You are offline' : explanation.title} isError>
      <p>{explanation.text}</p>
      <p>
        {retryAfterSeconds === null ? null : (
          <>
            Next attempt in <Countdown seconds={retryAfterSeconds} onEnd={retry} />.{' '}
          </>
        )}
        <button type="button" onClick={retry}>
          Try now
        </button>
      </p>
    </Notice>
  )
}

/** The requests that the reader may still send, once an answer has said so. */
export function QuotaNote() {
  const [quota, setQuota] = useState<Quota | null>(null)
  useEffect(() => {
    const update = () => setQuota(currentQuota())
    update()
    const timer = setInterval(update, 1_000)
    return () => clearInterval(timer)
  }, [])
  if (quota === null) {
    return null
  }
  const { remaining, limit } = quota
  return (
    <p class="quota" title="Requests to this service from your address, within a minute">
      <svg class="quota-bar" width="56" height="6" fill="#ddd" aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect class="quota-left" fill="#0e5f4a" width={`${(100 * remaining) / limit}%`} height="100%" />
      </svg>
      {`${remaining} of ${limit} requests left this minute`}
    </p>
  )
}
