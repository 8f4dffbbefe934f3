import { formatCount, formatResult } from '../../../shared/text/format-numbers.js'
import { waitsFor } from '../runner/job.js'
import type { JobRecord } from '../runner/run-job.js'
import type { JobRow, JobsReport } from './read-jobs.js'
import type { BoundedCount, IndexServerStatus } from './read-status.js'

/** `12 changes`, or `more than 1,000 changes`. */
export const boundedText = ({ count, isLowerBound }: BoundedCount, noun: string): string =>
  `${isLowerBound ? 'more than ' : ''}${formatCount(count, noun)}`

/** Whether a server of the search index answers, and how far it is. */
export function indexServerText({ documents, pending }: IndexServerStatus): string {
  const lag =
    pending === null
      ? 'lag unknown'
      : pending.oldestAt === null
        ? 'up to date'
        : `lacks ${boundedText(pending, 'changes')}`
  return documents === null ? `does not answer, ${lag}` : `${formatCount(documents, 'skills')}, ${lag}`
}

/** A job's result as text, without the fields that are null. */
export const jobResultText = (result: Record<string, unknown>): string =>
  formatResult(Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null)))

/** How the last run of a job ended; `-`: there was none. */
export function outcomeText({ lastRun, runningSince }: JobRow): string {
  if (lastRun === null) {
    return '-'
  }
  const { result, error } = lastRun
  const awaited = waitsFor(result ?? {})
  const outcome = error ?? (awaited === null ? succeeded(result) : `waits for ${awaited}`)
  return runningSince === null ? outcome : `previous: ${outcome}`
}

const succeeded = (result: JobRecord['result']): string => `succeeded: ${jobResultText(result ?? {})}`

/**
 * When a job runs next: `paused`, `running`, a time (ISO-8601), or `-`.
 *
 * The schedule of a paused job continues, and its runs do nothing: their times are not shown.
 */
export function nextText({ running, runningSince, paused, nextRunAt }: JobRow): string {
  if (paused) {
    return 'paused'
  }
  return running || runningSince !== null ? 'running' : (nextRunAt ?? '-')
}

/** A sentence about the processes that run the jobs. */
export function runnersLine({ service, indexers }: JobsReport): string {
  if (service === undefined && indexers === undefined) {
    return 'The job queue does not answer: only what the catalog stores is shown.'
  }
  if (indexers === undefined) {
    return service
      ? `The service is running as process ${service.pid}${service.url === null ? '' : `, ${service.url}`}.`
      : 'No service is running on this catalog: jobs run when one is started, or by hand.'
  }
  switch (indexers) {
    case 0:
      return 'No indexer is connected: jobs run when one is started (npm run start:indexer), or with --local.'
    case 1:
      return '1 indexer is connected.'
    default:
      return `${indexers} indexers are connected.`
  }
}
