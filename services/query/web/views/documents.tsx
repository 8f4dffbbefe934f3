import { Countdown, Notice } from '../components/basic.js'
import { SearchBox } from '../components/search-box.js'

/** The documentation of the API: the place in which Swagger UI shows it. */
export const DocsView = () => (
  <div class="docs-view">
    <section aria-label="API">
      <h1 class="hidden-text">API</h1>
      <noscript>
        <p>
          This page needs scripts. Machine-readable: <a href="/openapi.json">/openapi.json</a>
        </p>
      </noscript>
    </section>
    <div id="swagger-ui" />
  </div>
)

/** A code of the API's errors. */
interface ErrorEntry {
  code: string
  status: string
  meaning: string
  remedy: string
}

interface ErrorsData {
  entries: ErrorEntry[]
}

/** The meaning of each error code. */
export const ErrorsView = ({ entries }: ErrorsData) => (
  <div class="errors-view">
    <h1>Errors</h1>
    <p class="lead">
      Every error is a problem document (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>):{' '}
      <code>code</code> is for programs and stays the same, <code>detail</code> says what happened and what to do,{' '}
      <code>type</code> links to one of these entries. Some have further members, for instance <code>errors</code> with
      every refused parameter.
    </p>
    {entries.map(({ code, status, meaning, remedy }) => (
      <section key={code} id={code}>
        <h2>
          <a href={`#${code}`}>
            <code>{code}</code>
          </a>
        </h2>
        <p class="quiet">{status}</p>
        <p>{meaning}</p>
        <p>
          <strong>What to do:</strong> {remedy}
        </p>
      </section>
    ))}
  </div>
)

interface ProblemData {
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
