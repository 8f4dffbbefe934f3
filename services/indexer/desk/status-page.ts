import { type Html, html } from '../../../shared/text/html.js'
import type { Job } from '../runner/job.js'
import { boundedText, factsOf, type Piece } from '../status/describe.js'
import type { CatalogStatus } from '../status/read-status.js'
import { jobItem, momentOf } from './job-item.js'
import { type LookedUp, skillNotice, skillSection } from './one-skill.js'
import { renderPage } from './page.js'

export interface StatusPageOptions {
  jobs: Pick<Job, 'name' | 'summary'>[]
  /** The path of the queues; null: there are none. Whether there is a session to end. */
  links: { queues: string | null; signOut: boolean }
  now: Date
  /** The action that led to this page, as the parameters `action` and `job`. */
  done: Record<string, unknown>
  /** The skill that was looked up; null: none. */
  found: LookedUp | null
}

/** The state of a catalog as a page. Its script renews the elements with `data-live`. */
export function statusPage(status: CatalogStatus, { jobs, links, now, done, found }: StatusPageOptions): string {
  const items = status.jobs.map((row) =>
    jobItem(row, { summary: jobs.find(({ name }) => name === row.name)?.summary ?? '', now }),
  )
  return renderPage({
    title: 'Status',
    nav: html`<a href="/" aria-current="page">Status</a> ${
      links.queues === null ? null : html`<a href="${links.queues}">Queues</a> `
    }<a href="/status.json">JSON</a> <a href="/metrics">Metrics</a>${
      links.signOut ? html` <form method="post" action="/sign-out"><button class="link">Sign out</button></form>` : null
    }`,
    main: html`<h1>Status</h1>
${notice(done, status)}${skillNotice(done['action'], found)}
<p class="quiet renewal"><span id="as-of" data-live>As of ${now.toISOString()}.</span> <a href="/">Renew</a></p>
<section aria-labelledby="catalog"><h2 id="catalog">Catalog</h2>
<dl id="facts" data-live>${factRows(status, now)}</dl></section>
${skillSection(found)}
<section aria-labelledby="letters"><h2 id="letters">Dead letters</h2>
<div id="dead-letters" data-live>${deadLettersOf(status, now)}</div></section>
<section aria-labelledby="jobs"><h2 id="jobs">Jobs</h2>
<ul class="jobs">${items}</ul></section>`,
  })
}

const doneTexts: Record<string, string> = { run: 'was started', pause: 'is paused', resume: 'is resumed' }

/** The parameters are of the address, so only known values are repeated. */
function notice({ action, job }: Record<string, unknown>, { jobs }: CatalogStatus): Html | null {
  const name = jobs.find((row) => row.name === job)?.name
  const text = Object.hasOwn(doneTexts, String(action)) ? doneTexts[String(action)] : undefined
  return name === undefined || text === undefined ? null : html`<p class="notice" role="status">${name} ${text}.</p>`
}

/** Dead letters have a section of their own. */
const factRows = (status: CatalogStatus, now: Date): Html[] =>
  factsOf(status, now)
    .filter(({ label }) => label !== 'dead letters')
    .map(
      ({ label, text }) =>
        html`<div><dt>${label.charAt(0).toUpperCase()}${label.slice(1)}</dt><dd>${text.map((piece) => pieceOf(piece, now))}</dd></div>\n`,
    )

function pieceOf(piece: Piece, now: Date): Html {
  if (typeof piece === 'string') {
    return html`${piece}`
  }
  if ('at' in piece) {
    return momentOf(piece.at, now)
  }
  return 'bad' in piece ? html`<b class="bad">${piece.bad}</b>` : html`<b>${piece.late}</b>`
}

function deadLettersOf({ deadLetters }: CatalogStatus, now: Date): Html {
  if (deadLetters === null) {
    return html`<p>They cannot be read.</p>`
  }
  const { count, first } = deadLetters
  if (count === 0) {
    return html`<p>None: every record could be published and indexed.</p>`
  }
  const rows = first.map(
    ({ id, reason, since }) =>
      html`<li><code>${id}</code> <span class="quiet">${momentOf(since, now)}</span><br>${reason}</li>\n`,
  )
  return html`<p>${boundedText(deadLetters, 'skills')} could not be published or indexed.${
    count > first.length
      ? html` The first ${first.length}; <code>catalog jobs dead-letters</code> lists all of them.`
      : null
  }</p>
<ul class="letters">${rows}</ul>
<form method="post" action="/jobs/retry-dead-letters/run"><button>Retry all dead letters</button></form>`
}
