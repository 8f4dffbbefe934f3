import type { StateStore } from '../../../shared/ports/catalog.js'
import type { JobRun, JobScheduler, JobWatcher, RunScheduledJob } from '../../../shared/ports/job-scheduler.js'
import { type Lock, waitForLock } from '../../../shared/ports/locks.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import {
  isPaused,
  type Job,
  type JobContext,
  type JobResult,
  type JobStores,
  keepRecord,
  RunLog,
  showRunning,
  waitsFor,
} from './job.js'

/** The end of a run in this process. */
export interface EndedRun {
  /** The job's name. */
  job: string
  /** `stopped`: on request, because the process ends. */
  outcome: JobRun['outcome'] | 'stopped'
  seconds: number
}

/** Dependencies of a run. */
export interface RunJobDeps extends Omit<JobContext, 'lock' | 'progress' | 'report'> {
  /** Observes the run. */
  watcher?: Partial<JobWatcher>
  /** How long to wait for a run of another process. Default 0: not at all. */
  lockTimeoutMs?: number
  /** The ends of earlier runs of this job. Default: none. */
  runLog?: RunLog
  /** Called at the end of each run, for the metrics. */
  onEnd?: (run: EndedRun) => void
}

/** A lost index must not fill the disk with a line for each skill; the command line prints all findings. */
const maxLoggedFindings = 100

/**
 * A scheduled run takes place after this time also without work: it finds what `hasWork` does not read, such as a search
 * index that was deleted, and its record shows that the job goes on.
 */
const idleRunEveryMs = 60_000

/** The lock of a process that was killed in a run outlives it by less than this. */
const abandonedLockMs = 45_000

/**
 * Runs a job once, under its lock: no other process runs it on this catalog at the same time. Stores the end of the run
 * under `job:<name>` and logs it once.
 *
 * @throws AppError `job_running` when another run does not end in time; and the errors of the job
 */
export async function runJob(job: Job, deps: RunJobDeps): Promise<JobResult> {
  const asked = { runLog: new RunLog(job.name, deps.log), ...deps }
  return runUnder(await ownLock(job, asked), job, asked)
}

type AskedRun = RunJobDeps & { runLog: RunLog }

/** @throws AppError `job_running` when another run does not end in time */
const ownLock = (job: Job, asked: AskedRun): Promise<Lock> =>
  before(job, asked, () => waitForLock(asked.catalog, job.name, asked.lockTimeoutMs ?? 0, asked.signal))

/** Reads what a run needs to begin. An error is logged and counted as one of the job, unless it is that the job runs. */
async function before<T>(job: Job, { runLog, signal, onEnd }: AskedRun, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isRunning(error) && !signal.aborted) {
      runLog.failed(error)
      onEnd?.({ job: job.name, outcome: 'failed', seconds: 0 })
    }
    throw error
  }
}

const isRunning = (error: unknown): boolean => error instanceof AppError && error.code === 'job_running'

async function runUnder(lock: Lock, job: Job, asked: AskedRun): Promise<JobResult> {
  const { clock, runLog } = asked
  const deps = { ...asked, lock, signal: AbortSignal.any([asked.signal, lock.lost]) }
  try {
    if (lock.takenOver) {
      deps.onTakeover?.(lock.name)
    }
    const startedAt = clock().toISOString()
    const startedMs = performance.now()
    const reportEnd = (outcome: EndedRun['outcome']) =>
      deps.onEnd?.({ job: job.name, outcome, seconds: (performance.now() - startedMs) / 1_000 })
    const log = deps.log.child({ job: job.name })
    const hide = showRunning(job, deps, startedAt)
    try {
      const result = await job.run({ ...deps, ...reporting(log, deps.watcher ?? {}), log })
      const outcome = waitsFor(result) === null ? 'succeeded' : 'waiting'
      await keepRecord(job, deps, { startedAt, endedAt: clock().toISOString(), outcome, result, error: null })
      runLog[outcome](result)
      reportEnd(outcome)
      return result
    } catch (thrown) {
      const error = whyEnded(thrown, lock, deps.signal)
      const words = operatorMessage(error)
      reportEnd(asked.signal.aborted ? 'stopped' : 'failed')
      if (asked.signal.aborted) {
        // No failure: the record stays that of the run before, and the next run continues.
        log.info({ reason: words }, 'job stopped')
      } else {
        const endedAt = clock().toISOString()
        await keepRecord(job, deps, { startedAt, endedAt, outcome: 'failed', result: null, error: words })
        runLog.failed(error)
      }
      throw error
    } finally {
      await hide()
    }
  } finally {
    // A lock that cannot be released expires.
    await lock.release().catch((error: unknown) => asked.log.debug({ job: job.name, err: error }, 'a lock stays'))
  }
}

/**
 * Runs jobs of the table for a scheduler. A paused job runs only when triggered. A scheduled run is skipped while
 * another process runs the job, and, for a minute, when the job has no work. A lasting fault is logged once for all runs
 * that it fails.
 *
 * @param deps dependencies of all runs; the scheduler adds signal and watcher
 * @param scheduler asked for those that follow a job
 */
export function scheduledRun(
  jobs: Job[],
  deps: Omit<RunJobDeps, 'signal' | 'watcher' | 'runLog'>,
  scheduler: Pick<JobScheduler, 'request'>,
): RunScheduledJob {
  const known = new Map(jobs.map((job) => [job.name, { job, runLog: new RunLog(job.name, deps.log) }]))
  /** When the last run of a job in this process ended, by the monotonic clock; only where it succeeded. */
  const succeeded = new Map<string, number>()
  return async (name, { signal, byHand, watcher }) => {
    const { job, runLog } = known.get(name) ?? {}
    if (job === undefined || runLog === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    const succeededAtMs = succeeded.get(name) ?? Number.NEGATIVE_INFINITY
    const isRecent = performance.now() - succeededAtMs < idleRunEveryMs
    if (!byHand && isRecent && !(await hasWork(job, deps))) {
      return { idle: true }
    }
    succeeded.delete(name)
    const asked = { lockTimeoutMs: abandonedLockMs, ...deps, signal, watcher, runLog }
    try {
      if (!byHand && (await before(job, asked, () => isPaused(deps.catalog, name)))) {
        return { paused: true }
      }
      const lock = await ownLock(job, asked).catch((error: unknown) => {
        if (!byHand && isRunning(error)) {
          return null
        }
        throw error
      })
      if (lock === null) {
        return { runningElsewhere: true }
      }
      const result = await runUnder(lock, job, asked)
      if (waitsFor(result) === null) {
        succeeded.set(name, performance.now())
        for (const next of job.followedBy?.(result) ?? []) {
          // A request that fails does not fail this run: the schedule of the next job runs it, too.
          await requestUnpaused(next, deps.catalog, scheduler).catch((error: unknown) =>
            deps.log.warn({ job: next, err: error }, 'a following job could not be requested'),
          )
        }
      }
      return result
    } catch (error) {
      // The queue keeps the message only, and shows it where the catalog cannot store the record of the run.
      throw error instanceof AppError
        ? new AppError(error.status, error.code, operatorMessage(error), { cause: error })
        : error
    }
  }
}

/** A process that was suspended finds its requests failed as well: the loss of its lock is why its run ends. */
function whyEnded(thrown: unknown, lock: Lock, signal: AbortSignal): unknown {
  try {
    lock.check()
    signal.throwIfAborted()
    return thrown
  } catch (reason) {
    return reason
  }
}

/** Whether a run would find work; also true where this cannot be read: the run then reports the error. */
async function hasWork(job: Job, deps: JobStores): Promise<boolean> {
  try {
    return (await job.hasWork?.(deps)) ?? true
  } catch {
    return true
  }
}

/** Requests a job, unless its schedule is paused. */
export async function requestUnpaused(
  name: string,
  catalog: Pick<StateStore, 'readState'>,
  scheduler: Pick<JobScheduler, 'request'>,
): Promise<void> {
  if (!(await isPaused(catalog, name))) {
    await scheduler.request(name)
  }
}

/** Passes the progress and the findings of a run to its watcher, and logs the first findings. */
function reporting(log: Logger, watcher: Partial<JobWatcher>): Pick<JobContext, 'progress' | 'report'> {
  let [done, findings] = [0, 0]
  let total: number | null = null
  return {
    progress: {
      add(count, of) {
        done += count
        total = of ?? total
        watcher.progress?.(done, total)
      },
    },
    report(finding) {
      findings += 1
      if (findings <= maxLoggedFindings) {
        log.warn(finding, 'found by a job')
      }
      watcher.report?.(finding)
    },
  }
}
