import type { JobFinding } from '../../../../shared/ports/job-scheduler.js'
import { printableLine } from '../../../../shared/text/clean-text.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { JobResult } from '../../runner/job.js'
import { nextText, outcomeText, relativeTime } from '../../status/describe.js'
import type { JobRow } from '../../status/read-status.js'
import type { ExitStatus } from '../command-line.js'
import type { ProgressDisplay } from './progress-display.js'
import { type Screen, textTable } from './screen.js'

/** Further findings are only counted. */
const maxFindings = 50

/** The counts of a result that make the exit status 1. */
const faultFields = ['rejected', 'missing', 'extra', 'different']

/** Servers of the search index at which a run did not do its work. */
const missedFields = ['unavailable', 'waiting']

/** The exit status for a job's result. */
export const statusOf = (result: JobResult): ExitStatus =>
  faultsIn(result) > 0 || missedFields.some((name) => typeof result[name] === 'string') ? 1 : 0

/** Prints the first findings of a run as they are made, and the number of further ones at its end. */
export class FindingsDisplay {
  readonly #display: ProgressDisplay
  #count = 0

  constructor(display: ProgressDisplay) {
    this.#display = display
  }

  readonly report = (finding: JobFinding): void => {
    this.#count += 1
    if (this.#count <= maxFindings) {
      this.#display.report(describe(finding))
    }
  }

  end(result: JobResult): void {
    // A run in another process sends only its first findings; its result counts all of them.
    const more = Math.max(this.#count, faultsIn(result)) - maxFindings
    if (more > 0) {
      this.#display.report(`… and ${formatNumber(more)} more`)
    }
  }
}

const faultsIn = (result: JobResult): number =>
  faultFields.reduce((sum, name) => sum + Math.max(0, Number(result[name] ?? 0)), 0)

const describe = ({ id, kind, reason }: JobFinding): string => {
  const index = reason === null ? 'the index' : `the index at ${reason}`
  switch (kind) {
    case 'missing':
      return `${id}: in the catalog, but not in ${index}`
    case 'extra':
      return `${id}: in ${index}, but not published in the catalog`
    case 'different':
      return `${id}: in ${index} with different content`
    default:
      return `${id}: cannot be published as it is stored: ${reason}`
  }
}

/** The jobs as a table, in the servers mode with the columns of the queue. */
export function jobTable(rows: JobRow[], screen: Screen, now: Date): string {
  const queued = rows.some(({ waiting }) => waiting !== null)
  const head = ['job', 'every', 'last run', 'outcome', 'last success', 'next run']
  const moment = (iso: string) => formatMoment(iso, now, screen)
  const cells = rows.map((row) => [
    row.name,
    row.everySeconds === null ? 'by hand' : `${row.everySeconds} s`,
    row.runningSince === null ? moment(row.lastRun?.startedAt ?? 'never') : `running since ${moment(row.runningSince)}`,
    row.lastRun?.error ? screen.style('red', printableLine(outcomeText(row))) : printableLine(outcomeText(row)),
    moment(row.lastRun?.lastSucceededAt ?? '-'),
    moment(nextText(row)),
    ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
  ])
  return textTable([[...head, ...(queued ? ['waiting', 'failed'] : [])], ...cells], screen, head.indexOf('outcome'))
}

/** A moment on a terminal as the time since then or until then, `12 min ago`; elsewhere as it is, ISO-8601. */
export const formatMoment = (iso: string, now: Date, { columns }: Pick<Screen, 'columns'>): string =>
  columns === null ? iso : relativeTime(iso, now)
