import type { StateStore } from '../../../shared/ports/catalog.js'
import type { DocumentIngest } from '../../../shared/ports/document-ingest.js'
import type { JobRun, JobScheduler, JobWatcher, RunScheduledJob } from '../../../shared/ports/job-scheduler.js'
import type { Lock } from '../../../shared/ports/locks.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { type Job, type JobContext, type JobResult, type JobStores, waitsFor } from './job.js'
import { isPaused, keepRecord, RunLog, showRunning } from './job-record.js'
import { waitForLock } from './wait-for-lock.js'

/** The end of a run in this process. */
export interface EndedRun {
  /** The job's name. */
  job: string
  /** `stopped`: on request, because the process ends. */
  outcome: 'succeeded' | 'failed' | 'waiting' | 'stopped'
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
export async function runJob(job: Job, asked: RunJobDeps): Promise<JobResult> {
  return runUnder(await ownLock(job, asked), job, asked)
}

/** @throws AppError `job_running` when another run does not end in time */
async function ownLock(
  job: Job,
  { catalog, lockTimeoutMs = 0, signal, runLog, log, onEnd }: RunJobDeps,
): Promise<Lock> {
  try {
    return await waitForLock(catalog, job.name, lockTimeoutMs, signal)
  } catch (error) {
    if (!isRunning(error) && !signal.aborted) {
      const ofJob = runLog ?? new RunLog()
      ofJob.failed(log.child({ job: job.name }), error, operatorMessage(error))
      onEnd?.({ job: job.name, outcome: 'failed', seconds: 0 })
    }
    throw error
  }
}

const isRunning = (error: unknown): boolean => error instanceof AppError && error.code === 'job_running'

async function runUnder(lock: Lock, job: Job, asked: RunJobDeps): Promise<JobResult> {
  const { clock, runLog = new RunLog() } = asked
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
      const endedAt = clock().toISOString()
      const outcome = waitsFor(result) === null ? 'succeeded' : 'waiting'
      const succeededAt = outcome === 'succeeded' ? endedAt : null
      await keepRecord(job, { ...deps, runLog }, { startedAt, endedAt, outcome, result, error: null }, succeededAt)
      runLog[outcome](log, result)
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
        const run: JobRun = { startedAt, endedAt: clock().toISOString(), outcome: 'failed', result: null, error: words }
        await keepRecord(job, { ...deps, runLog }, run, null)
        runLog.failed(log, error, words)
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
 * @param request of those that follow a job
 */
export function scheduledRun(
  jobs: Job[],
  deps: Omit<RunJobDeps, 'signal' | 'watcher' | 'runLog'>,
  request: (name: string) => Promise<unknown>,
): RunScheduledJob {
  const runLogs = new Map(jobs.map(({ name }) => [name, new RunLog()]))
  /** When the last run of a job in this process ended, by the monotonic clock; only where it succeeded. */
  const succeeded = new Map<string, number>()
  return async (name, { signal, byHand, watcher }) => {
    const job = jobs.find((candidate) => candidate.name === name)
    if (job === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    const succeededAtMs = succeeded.get(name) ?? Number.NEGATIVE_INFINITY
    const isRecent = performance.now() - succeededAtMs < idleRunEveryMs
    if (!byHand && isRecent && !(await hasWork(job, deps))) {
      return { idle: true }
    }
    succeeded.delete(name)
    const runLog = runLogs.get(name) ?? new RunLog()
    const asked = { lockTimeoutMs: abandonedLockMs, ...deps, signal, watcher, runLog }
    try {
      if (!byHand && (await isPausedFor(job, deps, runLog))) {
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
        await requestAll(job.followedBy?.(result) ?? [], deps, request)
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

/** Whether the schedule of a job is paused; an error of reading that is logged as one of the job. */
async function isPausedFor(job: Job, { catalog, log }: Pick<RunJobDeps, 'catalog' | 'log'>, runLog: RunLog) {
  try {
    return await isPaused(catalog, job.name)
  } catch (error) {
    runLog.failed(log.child({ job: job.name }), error, operatorMessage(error))
    throw error
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

/** Requests the jobs that follow a run. A request that fails does not fail that run: their schedules run them, too. */
async function requestAll(
  names: string[],
  { catalog, log }: Pick<RunJobDeps, 'catalog' | 'log'>,
  request: (name: string) => Promise<unknown>,
): Promise<void> {
  for (const name of names) {
    try {
      if (!(await isPaused(catalog, name))) {
        await request(name)
      }
    } catch (error) {
      log.warn({ job: name, err: error }, 'a following job could not be requested')
    }
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

/**
 * Requests the ingest as soon as the database reports written documents, instead of at its next scheduled run.
 *
 * @param jobName of the job that ingests them
 * @returns a function that ends this
 */
export function followDocuments(
  documents: Pick<DocumentIngest, 'watch'>,
  jobName: string,
  catalog: Pick<StateStore, 'readState'>,
  scheduler: Pick<JobScheduler, 'request'>,
  log: Logger,
): () => Promise<void> {
  let fault: string | null = null
  const request = async () => {
    if (!(await isPaused(catalog, jobName))) {
      await scheduler.request(jobName)
    }
  }
  const onChange = () => {
    // Requests share a run until it starts. Where one fails, the scheduled run says why.
    void request().catch(() => undefined)
  }
  return documents.watch(onChange, (error) => {
    const words = error === null ? null : operatorMessage(error)
    if (words !== null && words !== fault) {
      log.warn({ err: error }, 'the change stream fails: writes of other applications are found at the next look only')
    } else if (words === null && fault !== null) {
      log.info('the change stream reports writes of other applications again')
    }
    fault = words
  })
}
