import { AppError } from '../../shared/errors.js'
import type { Logger } from '../../shared/log.js'
import type { JobRun, JobWatcher, RunScheduledJob } from '../../shared/ports/job-scheduler.js'
import { stateKeys } from '../../shared/state-keys.js'
import { crashPointHook } from './crash-points.js'
import { fencedCatalog, fencedExports, fencedIndex } from './fenced-stores.js'
import { type Job, type JobContext, type JobResult, waitsFor } from './job.js'
import { isPaused } from './paused-jobs.js'
import { RunLog } from './run-log.js'
import { waitForLock } from './wait-for-lock.js'

/** What is kept of a job between its runs. */
export interface JobRecord extends JobRun {
  /** When it last ended well; null: never. */
  lastSucceededAt: string | null
}

/** How a run ended that this process did. */
export interface EndedRun {
  /** The job's name. */
  job: string
  /** `stopped`: it was asked to, because the process ends. */
  outcome: 'succeeded' | 'failed' | 'waiting' | 'stopped'
  seconds: number
}

/** What a run needs. */
export interface RunJobDeps extends Omit<JobContext, 'progress' | 'report'> {
  /** Hears of the run while it is under way. */
  watcher?: Partial<JobWatcher>
  /** For how long a run that is under way elsewhere is waited for. Default 0: not at all. */
  lockPatienceMs?: number
  /** Knows how earlier runs of this job ended. Default: of none. */
  runLog?: RunLog
  /** Hears of the end of every run, for the metrics. Default: nobody does. */
  onEnd?: (run: EndedRun) => void
}

/** A lost index must not fill the disk with a line for each skill; the command line tells every finding. */
const maxLoggedFindings = 100

/** A run that lasts longer is shown as running. */
const shownAfterMs = 500

/** The lock of a process that was killed in a run outlives it by less than this. */
const abandonedLockMs = 45_000

/**
 * Does one run of a job, the only one at that time on this catalog, whichever process asks for it. How it ended is
 * kept under `job:<name>` and logged once.
 *
 * @throws AppError `job_running` when a run is under way and stays so, or whatever the job threw
 */
export async function runJob(job: Job, asked: RunJobDeps): Promise<JobResult> {
  const { catalog, clock, runLog = new RunLog(), reached = crashPointHook() } = asked
  const lock = await waitForLock(catalog, job.name, asked.lockPatienceMs ?? 0, asked.signal)
  // Who has lost the lock must not go on beside whoever has it now.
  const deps = {
    ...asked,
    catalog: fencedCatalog(asked.catalog, lock),
    index: fencedIndex(asked.index, lock),
    exports: fencedExports(asked.exports, lock),
    signal: AbortSignal.any([asked.signal, lock.lost]),
  }
  try {
    const startedAt = clock().toISOString()
    const startedMs = performance.now()
    const tellEnd = (outcome: EndedRun['outcome']) =>
      deps.onEnd?.({ job: job.name, outcome, seconds: (performance.now() - startedMs) / 1_000 })
    const log = deps.log.child({ job: job.name })
    const hide = showRunning(job, deps, startedAt)
    try {
      const result = await job.run({ ...deps, reached, ...told(log, deps.watcher ?? {}), log })
      const endedAt = clock().toISOString()
      const outcome = waitsFor(result) === null ? 'succeeded' : 'waiting'
      const succeededAt = outcome === 'succeeded' ? endedAt : null
      await keepRecord(job, deps, { startedAt, endedAt, outcome, result, error: null }, succeededAt)
      runLog[outcome](log, result)
      tellEnd(outcome)
      return result
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      const run: JobRun = { startedAt, endedAt: clock().toISOString(), outcome: 'failed', result: null, error: words }
      await keepRecord(job, deps, run, null)
      tellEnd(asked.signal.aborted ? 'stopped' : 'failed')
      if (asked.signal.aborted) {
        log.info({ reason: words }, 'job stopped')
      } else {
        runLog.failed(log, error, words)
      }
      throw error
    } finally {
      await hide()
    }
  } finally {
    await lock.release()
  }
}

/**
 * How a scheduler runs a job of the table. A paused job runs only when it is triggered. A scheduled run is skipped while
 * another process runs the job. A job that waits for another one is run again when that one has succeeded. A lasting
 * fault is logged once, however often the job runs meanwhile.
 *
 * @param deps what every run needs; signal and watcher come from the scheduler
 * @param trigger runs those that follow a job
 */
export function scheduledRun(
  jobs: Job[],
  deps: Omit<RunJobDeps, 'signal' | 'watcher' | 'runLog'>,
  trigger: (name: string) => Promise<unknown>,
): RunScheduledJob {
  const runLogs = new Map(jobs.map(({ name }) => [name, new RunLog()]))
  /** Jobs whose last run waited, by the name of the job that they wait for. */
  const waiting = new Map<string, Set<string>>()
  return async (name, { signal, byHand, watcher }) => {
    const job = jobs.find((candidate) => candidate.name === name)
    if (job === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    if (!byHand && (await isPaused(deps.catalog, name))) {
      return { paused: true }
    }
    try {
      const runLog = runLogs.get(name) ?? new RunLog()
      const result = await runJob(job, { lockPatienceMs: abandonedLockMs, ...deps, signal, watcher, runLog })
      const awaited = waitsFor(result)
      if (awaited !== null) {
        waiting.set(awaited, (waiting.get(awaited) ?? new Set()).add(name))
        return result
      }
      const following = [...(job.followedBy?.(result) ?? []), ...(waiting.get(name) ?? [])]
      waiting.delete(name)
      void triggerAll(following, deps, trigger)
      return result
    } catch (error) {
      if (!byHand && error instanceof AppError && error.code === 'job_running') {
        return { runningElsewhere: true }
      }
      throw error
    }
  }
}

/** How those that follow a run end is not for that run to tell. */
async function triggerAll(
  names: string[],
  { catalog, log }: Pick<RunJobDeps, 'catalog' | 'log'>,
  trigger: (name: string) => Promise<unknown>,
): Promise<void> {
  for (const name of names) {
    try {
      if (!(await isPaused(catalog, name))) {
        await trigger(name)
      }
    } catch (error) {
      log.warn({ job: name, err: error }, 'what became of a job that follows another is not known')
    }
  }
}

/** What a job is given to tell how far it has come, and what it finds: of that the first go to the log as well. */
function told(log: Logger, watcher: Partial<JobWatcher>): Pick<JobContext, 'progress' | 'report'> {
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
 * Keeps with the catalog that a run goes on, when it lasts: most are over before anybody could look.
 *
 * @returns ends that; never rejects
 */
function showRunning(job: Job, { catalog, log }: RunJobDeps, startedAt: string): () => Promise<void> {
  const write = (value: string | null) =>
    catalog.writeState(stateKeys.jobRunningSince(job.name), value).catch((error: unknown) => {
      log.debug({ job: job.name, err: error }, 'it could not be kept whether a job is running')
    })
  let shown: Promise<void> | null = null
  const timer = setTimeout(() => {
    shown = write(startedAt)
  }, shownAfterMs)
  return async () => {
    clearTimeout(timer)
    await shown
    await (shown && write(null))
  }
}

/**
 * A record that cannot be kept does not undo the run: it is told, and the next run writes its own. Who has lost the lock
 * keeps none: how the job ended is for the run to tell that took over.
 */
async function keepRecord(job: Job, deps: RunJobDeps, run: JobRun, succeededAt: string | null): Promise<void> {
  const key = stateKeys.job(job.name)
  try {
    const lastSucceededAt = succeededAt ?? (await deps.catalog.readState<JobRecord>(key))?.lastSucceededAt ?? null
    await deps.catalog.writeState(key, { ...run, lastSucceededAt } satisfies JobRecord)
  } catch (error) {
    if (error instanceof AppError && error.code === 'lock_lost') {
      return
    }
    deps.log.warn({ job: job.name, err: error }, 'the end of a job could not be noted')
  }
}
