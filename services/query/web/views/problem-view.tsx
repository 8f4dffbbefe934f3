import { Countdown } from '../components/countdown.js'
import { Notice } from '../components/notice.js'
import { SearchBox } from '../components/search-box.js'

export interface ProblemData {
  /** The HTTP status. */
  status: number
  title: string
  /** The cause and the remedy. */
  text: string
  requestId: string
  /** Where to go on. */
  links: { text: string; href: string }[]
  /** Pages that may be meant. */
  suggestions: { text: string; href: string }[]
  /** Seconds until a repetition may succeed; null: it would fail as well. */
  retryAfterSeconds: number | null
}

const reload = () => location.reload()

/** An error in place of a page. */
export const ProblemView = ({ status, title, text, requestId, links, suggestions, retryAfterSeconds }: ProblemData) => (
  <div class="problem-view">
    <h1>{title}</h1>
    <p class="lead" dir="auto">
      {text}
    </p>
    {links.map((link) => (
      <p key={link.href}>
        <a href={link.href}>
          <bdi>{link.text}</bdi>
        </a>
      </p>
    ))}
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
      Error {status}, number <span class="mono">{requestId}</span>
    </p>
  </div>
)
