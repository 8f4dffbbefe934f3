import type { JobStatus } from '../../../shared/ports/job-scheduler.js'
import type { JobRecord } from '../run-job.js'
import { resultInWords } from './run-outcome.js'
import { textTable } from './text-table.js'

/** What `jobs` shows of a job. */
export interface JobRow extends Pick<JobStatus, 'name' | 'everySeconds'> {
  paused: boolean
  lastRun: JobRecord | null
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
      row.lastRun?.startedAt ?? 'never',
      outcomeOf(row.lastRun),
      row.lastRun?.lastSucceededAt ?? '-',
      nextOf(row),
      ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
    ]),
  ])
}

const outcomeOf = (run: JobRecord | null): string =>
  run === null ? '-' : (run.error ?? `${run.outcome}: ${resultInWords(run.result ?? {})}`)

// A paused job's schedule goes on and runs nothing: what it does then is no run that anybody waits for.
function nextOf({ running, paused, nextRunAt }: JobRow): string {
  if (paused) {
    return 'paused'
  }
  return running ? 'running' : (nextRunAt ?? '-')
}
