import { setTimeout as sleep } from 'node:timers/promises'
import type { StateStore } from '../../../shared/ports/catalog.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { type Job, pauseJobs, resumeJobs } from '../runner/job.js'
import {
  boundedText,
  factsOf,
  intervalText,
  nextText,
  outcomeText,
  type Piece,
  relativeTime,
} from '../status/describe.js'
import type { CatalogStatus, JobRow } from '../status/read-status.js'
import { type LookedUp, skillNotice, skillSection } from './one-skill.js'
import { type Html, html, renderPage } from './page.js'

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
  return html`<p>${boundedText(deadLetters, 'records')} could not be published or indexed.${
    count > first.length
      ? html` The first ${first.length}; <code>catalog jobs dead-letters</code> lists all of them.`
      : null
  }</p>
<ul class="letters">${rows}</ul>
<form method="post" action="/jobs/retry-dead-letters/run"><button>Retry all dead letters</button></form>`
}

/** A moment as the time since then or until then. @param iso ISO-8601; null: never */
const momentOf = (iso: string | null, now: Date): Html =>
  iso === null || Number.isNaN(Date.parse(iso))
    ? html`${iso ?? 'never'}`
    : html`<time datetime="${iso}" title="${iso}">${relativeTime(iso, now)}</time>`

function jobItem(row: JobRow, { summary, now }: { summary: string; now: Date }): Html {
  const { name, everySeconds, paused, lastRun, runningSince, waiting, failed } = row
  const [state, kind] = stateOf(row)
  const next = nextText(row)
  const button = (action: string, label: string) =>
    html`<form method="post" action="/jobs/${name}/${action}"><button aria-label="${label} ${name}">${label}</button></form>`
  return html`<li aria-labelledby="job-${name}">
<h3 id="job-${name}">${name}</h3>
<p class="quiet">${summary}</p>
<dl id="${name}-state" data-live>
<div><dt>State</dt><dd><b class="badge ${kind}">${state}</b>${runningSince === null ? null : html` since ${momentOf(runningSince, now)}`}</dd></div>
<div><dt>Every</dt><dd>${intervalText(everySeconds)}</dd></div>
<div><dt>Last run</dt><dd>${momentOf(lastRun?.startedAt ?? null, now)}</dd></div>
<div><dt>Result</dt><dd>${outcomeText(row)}</dd></div>
<div><dt>Last success</dt><dd>${momentOf(lastRun?.lastSucceededAt ?? null, now)}</dd></div>
<div><dt>Next run</dt><dd>${Number.isNaN(Date.parse(next)) ? next : momentOf(next, now)}</dd></div>
${waiting === null ? null : html`<div><dt>In the queue</dt><dd>${waiting} waiting, ${failed} failed</dd></div>`}
</dl>
<div class="buttons" id="${name}-buttons" data-live>${button('run', 'Run')}${
    paused ? button('resume', 'Resume') : everySeconds === null ? null : button('pause', 'Pause')
  }</div>
</li>
`
}

function stateOf({ running, runningSince, paused, lastRun }: JobRow): [state: string, kind: string] {
  if (running || runningSince !== null) {
    return ['running', 'busy']
  }
  if (lastRun?.error) {
    return [paused ? 'failed, paused' : 'failed', 'bad']
  }
  if (paused) {
    return ['paused', 'held']
  }
  return lastRun === null ? ['never run', 'held'] : ['idle', 'good']
}

/** Short runs end within this time: their result is on the next page. */
const runMs = 1_000

export interface ActionDeps {
  catalog: StateStore
  scheduler: Pick<JobScheduler, 'trigger'>
}

/** What can be done with a job, by the name in the path. Each throws the AppError of its store or queue. */
export const actions = new Map<string, (job: string, deps: ActionDeps) => Promise<unknown>>([
  ['run', runJob],
  ['pause', (job, { catalog }) => pauseJobs(catalog, [job])],
  ['resume', (job, { catalog }) => resumeJobs(catalog, [job])],
])

/** Rejects when the run could not be requested; the result of a run is shown with its job. */
async function runJob(job: string, { scheduler }: ActionDeps): Promise<void> {
  const run = scheduler.trigger(job)
  run.catch(() => undefined)
  await Promise.race([run, sleep(runMs)])
}
