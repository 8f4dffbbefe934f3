import { Countdown } from '../components/countdown.js'
import { Notice } from '../components/notice.js'
import { SearchBox } from '../components/search-box.js'

export interface ProblemData {
  /** The HTTP status. */
  status: number
  /** The name of the status. */
  title: string
  /** The cause and the remedy. */
  detail: string
  code: string
  requestId: string
  /** Paths of pages that may be meant. */
  suggestions: { text: string; href: string }[]
  /** Seconds until a repetition may succeed; null: it would fail as well. */
  retryAfterSeconds: number | null
}

const titles: Record<number, string> = {
  400: 'This address cannot be read',
  404: 'There is nothing at this address',
  410: 'This skill was removed',
  429: 'You have used up your requests of this minute',
  503: 'The catalog cannot answer at the moment',
}

const reload = () => location.reload()

/** An error in place of a page. */
export const ProblemView = ({
  status,
  title,
  detail,
  code,
  requestId,
  suggestions,
  retryAfterSeconds,
}: ProblemData) => (
  <div class="problem-view">
    <p class="kind">{`${status} ${title}`}</p>
    <h1>{titles[status] ?? 'Something went wrong'}</h1>
    <p class="lead">{detail}</p>
    {retryAfterSeconds === null ? null : (
      <Notice title="What to do">
        <p>
          This page is loaded again in <Countdown seconds={retryAfterSeconds} onEnd={reload} />.
        </p>
      </Notice>
    )}
    {suggestions.length === 0 ? null : (
      <Notice title="Did you mean">
        <ul class="plain-list">
          {suggestions.map(({ text, href }) => (
            <li key={href}>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
      </Notice>
    )}
    <SearchBox size="large" />
    <p class="quiet small">
      <a href={`/docs/errors#${code}`}>{code}</a> · request <span class="mono">{requestId}</span>
    </p>
  </div>
)
