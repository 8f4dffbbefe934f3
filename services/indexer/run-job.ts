import { AppError } from '../../shared/errors.js'
import type { Logger } from '../../shared/log.js'
import type { JobRun } from '../../shared/ports/job-scheduler.js'
import { stateKeys } from '../../shared/state-keys.js'
import type { Job, JobContext, JobResult } from './job.js'
import { jobRunning } from './wait-for-lock.js'

/** What is kept of a job between its runs. */
export interface JobRecord extends JobRun {
  /** When it last ended well; null: never. */
  lastSucceededAt: string | null
}

/** What a run needs; who does not watch it may leave out the last two. */
export type RunJobDeps = Omit<JobContext, 'progress' | 'report'> & Partial<Pick<JobContext, 'progress' | 'report'>>

/** A lost index must not fill the disk with a line for each skill; the command line tells every finding. */
const maxLoggedFindings = 100

/**
 * Does one run of a job, the only one at that time on this catalog, whichever process asks for it. How it ended is
 * kept under `job:<name>` and logged once.
 *
 * @throws AppError `job_running` when a run is under way, or whatever the job threw
 */
export async function runJob(job: Job, asked: RunJobDeps): Promise<JobResult> {
  const { catalog, clock } = asked
  const lock = await catalog.lock(job.name)
  if (lock === null) {
    throw jobRunning(job.name)
  }
  // Who has lost the lock must not go on beside whoever has it now.
  const deps = { ...asked, signal: AbortSignal.any([asked.signal, lock.lost]) }
  try {
    const startedAt = clock().toISOString()
    const log = deps.log.child({ job: job.name })
    try {
      const result = await job.run({ progress: { add: () => undefined }, report: reportToLog(log), ...deps, log })
      const endedAt = clock().toISOString()
      await keepRecord(job, deps, { startedAt, endedAt, outcome: 'succeeded', result, error: null }, endedAt)
      log[didNothing(result) ? 'debug' : 'info']({ result }, 'job done')
      return result
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      const run: JobRun = { startedAt, endedAt: clock().toISOString(), outcome: 'failed', result: null, error: words }
      await keepRecord(job, deps, run, null)
      if (asked.signal.aborted) {
        log.info({ reason: words }, 'job stopped')
      } else {
        log.error({ err: error }, 'job failed')
      }
      throw error
    }
  } finally {
    await lock.release()
  }
}

/**
 * How a scheduler runs a job of the table. A run that another process has under way is as good as one of ours.
 *
 * @param deps what every run needs; its signal comes from the scheduler
 */
export function scheduledRun(
  jobs: Job[],
  deps: Omit<RunJobDeps, 'signal'>,
): (name: string, signal: AbortSignal) => Promise<JobResult> {
  return async (name, signal) => {
    const job = jobs.find((candidate) => candidate.name === name)
    if (job === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    try {
      return await runJob(job, { ...deps, signal })
    } catch (error) {
      if (error instanceof AppError && error.code === 'job_running') {
        return { runningElsewhere: true }
      }
      throw error
    }
  }
}

/** The first findings of a run; the result counts all of them. */
function reportToLog(log: Logger): JobContext['report'] {
  let told = 0
  return (finding) => {
    told += 1
    if (told <= maxLoggedFindings) {
      log.warn(finding, 'found by a job')
    }
  }
}

/** A record that cannot be kept does not undo the run: it is told, and the next run writes its own. */
async function keepRecord(job: Job, deps: RunJobDeps, run: JobRun, succeededAt: string | null): Promise<void> {
  const key = stateKeys.job(job.name)
  try {
    const lastSucceededAt = succeededAt ?? (await deps.catalog.readState<JobRecord>(key))?.lastSucceededAt ?? null
    await deps.catalog.writeState(key, { ...run, lastSucceededAt } satisfies JobRecord)
  } catch (error) {
    deps.log.warn({ job: job.name, err: error }, 'the end of a job could not be noted')
  }
}

/** A sync that found nothing to do, every two seconds, is no news. */
const didNothing = (result: JobResult): boolean =>
  Object.values(result).every((value) => value === 0 || value === false || value === null)
