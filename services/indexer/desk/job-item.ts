import { formatNumber } from '../../../shared/text/format-numbers.js'
import { type Html, html } from '../../../shared/text/html.js'
import { nextText, outcomeText, relativeTime } from '../status/describe.js'
import type { JobRow } from '../status/read-status.js'

/** A moment as the time since then or until then. @param iso ISO-8601; null: never */
export const momentOf = (iso: string | null, now: Date): Html =>
  iso === null || Number.isNaN(Date.parse(iso))
    ? html`${iso ?? 'never'}`
    : html`<time datetime="${iso}" title="${iso}">${relativeTime(iso, now)}</time>`

/** A job with its runs and its buttons. */
export function jobItem(row: JobRow, { summary, now }: { summary: string; now: Date }): Html {
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
<div><dt>Every</dt><dd>${everySeconds === null ? 'by hand' : `${formatNumber(everySeconds)} s`}</dd></div>
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

/** The state of a job in one word, and its kind. */
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
