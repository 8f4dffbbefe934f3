import type { ComponentChildren, TargetedMouseEvent } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { addressOf, type SearchState, writeState } from '../search/search-state.js'
import { type StateChange, useControls } from '../search/use-explorer.js'
import { formatWait } from '../text/format.js'

const shapes = {
  search: 'M10.5 3.5a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM15.8 15.8l4.7 4.7',
  star: 'm12 3.6 2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L3.6 9.7l5.8-.8L12 3.6Z',
  theme: 'M20 14.2A8.3 8.3 0 1 1 9.8 4a6.6 6.6 0 0 0 10.2 10.2Z',
  close: 'M6 6l12 12M18 6 6 18',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  copy: 'M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1',
  check: 'm5 12.5 4.5 4.5L19 7.5',
} as const

/** A picture next to a text that says the same. As all pictures, it has its size and its colours without a stylesheet. */
export const Icon = ({ name }: { name: keyof typeof shapes }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentcolor"
    stroke-width="1.8"
    aria-hidden="true"
  >
    <path d={shapes[name]} />
  </svg>
)

interface NoticeProps {
  title: string
  children: ComponentChildren
  /** Whether it is an error, which assistive technology reads out at once. */
  isError?: boolean
}

/** A message in place of content: what happened, and what to do. */
export const Notice = ({ title, children, isError = false }: NoticeProps) => (
  <section class={isError ? 'notice error' : 'notice'} role={isError ? 'alert' : undefined}>
    <h2>{title}</h2>
    {children}
  </section>
)

/** In place of skills where the catalog has none: what its operator does next. */
export const EmptyCatalog = () => (
  <Notice title="Welcome! This catalog has no skills yet">
    <p>
      If you run it, import your own: a file with one record in each line, or a folder of <code>SKILL.md</code> files.
      They appear here within seconds.
    </p>
    <CodeLine label="Import a file" code="npm run catalog -- import skills.ndjson --type skills" />
    <CodeLine label="Everything else that the command can do" code="npm run catalog -- --help" />
  </Notice>
)

interface PageHeadProps {
  /** The kind of thing, above its name. */
  kind: ComponentChildren
  title: string
  children?: ComponentChildren
}

/** The head of a page about one thing. */
export const PageHead = ({ kind, title, children }: PageHeadProps) => (
  <header class="page-head">
    <p class="kind">{kind}</p>
    <h1 dir="auto">{title}</h1>
    {children}
  </header>
)

interface StateLinkProps {
  change: StateChange
  children: ComponentChildren
  class?: string
  id?: string
  rel?: string
  'aria-current'?: 'true' | 'page' | undefined
  'aria-label'?: string
}

/** A link to another state of the explorer: without scripts a page, with them a change of this one. */
export function StateLink({ change, children, ...attributes }: StateLinkProps) {
  const controls = useControls()
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    // With a modifier key, the browser opens the link elsewhere.
    if (controls.isLive && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      controls.change(change)
    }
  }
  return (
    <a href={addressOf(change(controls.wanted))} onClick={follow} {...attributes}>
      {children}
    </a>
  )
}

/** Links to what has a short name. */
export const Chips = ({ links, label }: { links: { text: string; href: string }[]; label?: string }) => (
  <ul class="chips" aria-label={label}>
    {links.map(({ text, href }) => (
      <li key={text}>
        <a class="chip" dir="auto" href={href}>
          {text}
        </a>
      </li>
    ))}
  </ul>
)

/** A topic as a link to its page. */
export const topicLink = (topic: string) => ({ text: topic, href: `/topics/${encodeURIComponent(topic)}` })

/** Links to the pages of topics. */
export const TopicLinks = ({ topics, label = 'Topics' }: { topics: string[]; label?: string }) =>
  topics.length === 0 ? null : <Chips links={topics.map(topicLink)} label={label} />

/** A link to another site: it sends no referrer, and passes no search ranking on. */
export const OutsideLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href} rel="nofollow noopener noreferrer">
    {children}
  </a>
)

/** Facts as terms and descriptions; those that are null are left out. */
export const FactList = ({ facts }: { facts: [term: string, fact: ComponentChildren | null][] }) => (
  <dl class="fact-list">
    {facts
      .filter(([, fact]) => fact !== null)
      .map(([term, fact]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd dir="auto">{fact}</dd>
        </div>
      ))}
  </dl>
)

/** How long it is said that a text is copied. */
const saidMs = 2_000

/** Copies texts. @returns what is said of the last one, for the moment, and a function that copies another one */
export function useCopy(): [said: string, copy: (text: string) => Promise<void>] {
  const [said, setSaid] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const copy = useCallback(async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      // Browsers refuse on pages without TLS of other machines.
      setSaid('Not possible here: select the text')
    }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(''), saidMs)
  }, [])
  return [said, copy]
}

interface CodeLineProps {
  code: string
  label: string
}

/** Code to copy. */
export function CodeLine({ code, label }: CodeLineProps) {
  const [said, copy] = useCopy()
  return (
    <figure class="code-line">
      <figcaption>{label}</figcaption>
      <pre>
        <code>{code}</code>
      </pre>
      <button type="button" onClick={() => void copy(code)} aria-label={`Copy: ${label}`}>
        <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </figure>
  )
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

const toPlain = (html: string): string => html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')

interface HighlightedProps {
  /** The API's highlighted HTML: escaped text, and `<em>` around the matches. Absent: nothing matches. */
  html: string | null | undefined
  plain: string
}

/** A text with its matches marked. Nothing is used as HTML: only `<em>` is read, all else stays text. */
export const Highlighted = ({ html, plain }: HighlightedProps) => (
  <>
    {html
      ? html
          .split(/<em>(.*?)<\/em>/s)
          // Every second part is a match. A part has no identity but its place.
          .map((part, place) => (place % 2 === 1 ? <em key={String(place)}>{toPlain(part)}</em> : toPlain(part)))
      : plain}
  </>
)

interface CountdownProps {
  seconds: number
  onEnd: () => void
}

/** The time until something happens, second by second. Start another one by another `key`. */
export function Countdown({ seconds, onEnd }: CountdownProps) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(left > 0 ? () => setLeft(left - 1) : onEnd, left > 0 ? 1_000 : 0)
    return () => clearTimeout(timer)
  }, [left, onEnd])
  // Read out once, not every second.
  return (
    <span class="countdown" role="timer" aria-live="off">
      {formatWait(left)}
    </span>
  )
}

/** What a form without scripts sends in addition to the words: the filters and the order. */
export const HiddenFields = ({ state }: { state: SearchState }) => (
  <>
    {[...writeState({ ...state, q: '', page: 1 })].map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
)
