import type { JobStatus } from '../../../../shared/ports/job-scheduler.js'
import { waitsFor } from '../../runner/job.js'
import type { JobRecord } from '../../runner/run-job.js'
import { formatMoment } from './moments.js'
import { jobResultText } from './run-outcome.js'
import type { Screen } from './screen.js'
import { textTable } from './text-table.js'

/** A job in the table of `jobs`. */
export interface JobRow extends Pick<JobStatus, 'name' | 'everySeconds'> {
  paused: boolean
  lastRun: JobRecord | null
  /** ISO-8601; null when it is not running, or has just started. */
  runningSince: string | null
  /** ISO-8601; null when it has no schedule, is paused, or no service is running. */
  nextRunAt: string | null
  /** Null in the embedded mode, as are the next two. */
  running: boolean | null
  waiting: number | null
  failed: number | null
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
    row.lastRun?.error ? screen.style('red', outcomeOf(row)) : outcomeOf(row),
    moment(row.lastRun?.lastSucceededAt ?? '-'),
    moment(nextOf(row)),
    ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
  ])
  return textTable([[...head, ...(queued ? ['waiting', 'failed'] : [])], ...cells], screen, head.indexOf('outcome'))
}

function outcomeOf({ lastRun, runningSince }: JobRow): string {
  if (lastRun === null) {
    return '-'
  }
  const { result, error } = lastRun
  const awaited = awaitedBy(lastRun)
  const outcome = error ?? (awaited === null ? succeeded(result) : `waits for ${awaited}`)
  return runningSince === null ? outcome : `previous: ${outcome}`
}

const succeeded = (result: JobRecord['result']): string => `succeeded: ${jobResultText(result ?? {})}`

/** The job whose success triggers this one; null when its last run did not wait. */
const awaitedBy = (lastRun: JobRecord | null): string | null => waitsFor(lastRun?.result ?? {})

// The schedule of a paused job continues, and its runs do nothing: their times are not shown.
function nextOf({ running, runningSince, paused, nextRunAt, lastRun }: JobRow): string {
  if (paused) {
    return 'paused'
  }
  if (running || runningSince !== null) {
    return 'running'
  }
  const awaited = awaitedBy(lastRun)
  return nextRunAt === null || awaited === null ? (nextRunAt ?? '-') : `after ${awaited}`
}
