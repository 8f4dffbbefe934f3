import type { JobStatus } from '../../../shared/ports/job-scheduler.js'
import { waitsFor } from '../job.js'
import type { JobRecord } from '../run-job.js'
import { resultInWords } from './run-outcome.js'
import { textTable } from './text-table.js'

/** What `jobs` shows of a job. */
export interface JobRow extends Pick<JobStatus, 'name' | 'everySeconds'> {
  paused: boolean
  lastRun: JobRecord | null
  /** ISO-8601; null when it is not running, or began just now. */
  runningSince: string | null
  /** ISO-8601; null when nothing runs it by itself. */
  nextRunAt: string | null
  /** Null, as are the next two, where only the process that runs the jobs knows. */
  running: boolean | null
  waiting: number | null
  failed: number | null
}

/** The jobs as a table. What nobody knows is not shown. */
export function jobTable(rows: JobRow[]): string {
  const queued = rows.some(({ waiting }) => waiting !== null)
  const head = ['job', 'every', 'last run', 'outcome', 'last success', 'next run']
  return textTable([
    [...head, ...(queued ? ['waiting', 'failed'] : [])],
    ...rows.map((row) => [
      row.name,
      row.everySeconds === null ? 'by hand' : `${row.everySeconds} s`,
      row.runningSince === null ? (row.lastRun?.startedAt ?? 'never') : `running since ${row.runningSince}`,
      outcomeOf(row),
      row.lastRun?.lastSucceededAt ?? '-',
      nextOf(row),
      ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
    ]),
  ])
}

function outcomeOf({ lastRun, runningSince }: JobRow): string {
  if (lastRun === null) {
    return '-'
  }
  const { result, error } = lastRun
  const awaited = awaitedBy(lastRun)
  const words = error ?? (awaited === null ? succeeded(result) : `waits for ${awaited}`)
  return runningSince === null ? words : `before: ${words}`
}

const succeeded = (result: JobRecord['result']): string => `succeeded: ${resultInWords(result ?? {})}`

/** The job whose success runs this one again; null when its last run did not wait. */
const awaitedBy = (lastRun: JobRecord | null): string | null => waitsFor(lastRun?.result ?? {})

// A paused job's schedule goes on and runs nothing: what it does then is no run that anybody waits for.
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
