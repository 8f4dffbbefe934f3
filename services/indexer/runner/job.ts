import type { Stores } from '../../../shared/adapters/stores.js'
import type { StateStore } from '../../../shared/ports/catalog.js'
import type { JobFinding, JobRun } from '../../../shared/ports/job-scheduler.js'
import type { Lock } from '../../../shared/ports/locks.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { stateKeys } from '../../../shared/state-keys.js'
import type { ManifestSigner } from '../signing/minisign.js'

interface Progress {
  /** `count` more records are done, of the total `of` where that is known. */
  add(count: number, of?: number): void
}

/** The stores that a job reads and writes. */
export type JobStores = Omit<Stores, 'callsAtOnce' | 'close'>

/** The context of a run. */
export interface JobContext extends JobStores {
  /** The job's own lock. A run makes all its writes under a lock. */
  lock: Lock
  /** Retention of removals in the change log, in days. */
  changesKeptDays: number
  /** Signs the manifests of snapshots; absent or null: they are not signed. */
  signer?: ManifestSigner | null
  log: Logger
  /** Asks the run to stop between two steps; completed steps stay. */
  signal: AbortSignal
  clock: () => Date
  progress: Progress
  /** Called with every finding at once. */
  report: (finding: JobFinding) => void
  /** Called when the previous holder of a lock did not release it: its last requests may still arrive. */
  onTakeover?: (lockName: string) => void
  /** Whether skills without a vector must not be indexed, instead of being embedded later. */
  mustEmbed?: boolean
  /** The sequence after which the skills that are being indexed have changed; absent: some may have changed long ago. */
  changedAfter?: number
}

/** The context of work at one server of the search index. */
export interface IndexContext extends JobContext {
  index: IndexReplica
}

/**
 * The result of a run: logged, stored with its record, and printed by the command line. `waitingFor` names a job that has
 * to run first: this run did nothing.
 */
export type JobResult = Record<string, number | string | boolean | null>

/** The job that has to run before this one; null when the run did its work. */
export const waitsFor = ({ waitingFor }: Record<string, unknown>): string | null =>
  typeof waitingFor === 'string' ? waitingFor : null

/** Whether a run found nothing to do. */
export const didNothing = (result: JobResult): boolean =>
  Object.values(result).every((value) => value === 0 || value === false || value === null)

/** A job: its name, its schedule, and its work. Idempotent. */
export interface Job {
  /** Its name in the log, the metrics and `catalog jobs`, and of the lock that prevents concurrent runs. */
  name: string
  summary: string
  /** Seconds from one run to the next; null: only when triggered. */
  everySeconds: number | null
  /**
   * Whether a run would find work: a cheap read before each scheduled run. When there is none, the run is skipped without
   * a lock or a record, but for one a minute. Absent: every scheduled run takes place.
   */
  hasWork?(stores: JobStores): Promise<boolean>
  run(context: JobContext): Promise<JobResult>
  /** Names of the jobs to run after a run with this result; absent: none. */
  followedBy?: (result: JobResult) => string[]
}

/** The stored record of a job's last run. */
export interface JobRecord extends JobRun {
  /** The end of its last successful run; null: never. */
  lastSucceededAt: string | null
}

/** A run that lasts longer is shown as running. */
const shownAfterMs = 500

/** The interval at which a process notes that it still runs a job, and the time after its last note when it counts as dead. */
const seenEveryMs = 10_000
const seenForMs = 30_000

/** A run in progress, as stored: the process that runs it renews the time at which it was last alive. */
interface RunningJob {
  /** ISO-8601, both. */
  since: string
  seenAt: string
}

/**
 * Stores in the catalog that a run is in progress, once it has lasted some time: most runs end sooner.
 *
 * @returns a function that removes this; never rejects
 */
export function showRunning(
  job: Job,
  { catalog, log, clock }: Pick<JobContext, 'catalog' | 'log' | 'clock'>,
  since: string,
): () => Promise<void> {
  const write = (running: RunningJob | null) =>
    catalog.writeState(stateKeys.jobRunningSince(job.name), running).catch((error: unknown) => {
      log.debug({ job: job.name, err: error }, 'the running state of a job could not be stored')
    })
  let shown: Promise<void> | null = null
  const show = () => {
    shown = (shown ?? Promise.resolve()).then(() => write({ since, seenAt: clock().toISOString() }))
  }
  const timers = [setTimeout(show, shownAfterMs), setInterval(show, seenEveryMs)]
  return async () => {
    timers.forEach(clearTimeout)
    await shown
    await (shown && write(null))
  }
}

/** When the run of a job in progress began, ISO-8601; null: none is, or its process has been killed. */
export async function readRunningSince(
  catalog: Pick<StateStore, 'readState'>,
  name: string,
  now: Date,
): Promise<string | null> {
  const running = await catalog.readState<RunningJob>(stateKeys.jobRunningSince(name))
  return running !== null && now.getTime() - Date.parse(running.seenAt) < seenForMs ? running.since : null
}

/**
 * Stores the record of a run. A failure to store it is logged and does not fail the run: the next run writes its own.
 * A run that has lost its lock stores none: the run that took over writes the record.
 */
export async function keepRecord(
  { name }: Job,
  { catalog, lock, runLog }: Pick<JobContext, 'catalog' | 'lock'> & { runLog: RunLog },
  run: JobRun,
): Promise<void> {
  const key = stateKeys.job(name)
  try {
    const succeededAt = run.outcome === 'succeeded' ? run.endedAt : null
    const lastSucceededAt = succeededAt ?? (await catalog.readState<JobRecord>(key))?.lastSucceededAt ?? null
    await catalog.writeState(key, { ...run, lastSucceededAt } satisfies JobRecord, lock)
    runLog.stored(null)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'lock_lost')) {
      runLog.stored(error)
    }
  }
}

/** Words about a fault without the numbers of connections, ports, identities and times. */
const withoutNumbers = (words: string): string => words.replaceAll(/[\da-f]{8,}|\d+/gi, '#')

/**
 * Logs the ends of one job's runs. A fault that fails a run every two seconds, such as an unavailable server, is logged
 * once when it begins, once with each other cause, and once when it is over.
 */
export class RunLog {
  readonly #log: Logger
  /** The fault of the last run, or the job that it waited for; null: it succeeded. */
  #fault: string | null = null
  /** Why the record of the last run could not be stored; null: it was. */
  #unstored: string | null = null

  constructor(job: string, log: Logger) {
    this.#log = log.child({ job })
  }

  /** A run that found no work is logged for debugging only, unless the run before it failed. */
  succeeded(result: JobResult): void {
    if (this.#fault !== null) {
      this.#log.info({ result }, 'job succeeds again')
    } else {
      this.#log[didNothing(result) ? 'debug' : 'info']({ result }, 'job done')
    }
    this.#fault = null
  }

  /** Repeats every two seconds while the other job runs, and is logged once. */
  waiting(result: JobResult): void {
    const isNew = this.#isNew(`waits for ${result['waitingFor']}`)
    this.#log[isNew ? 'info' : 'debug']({ result }, 'job waits for another job')
  }

  /** Faults are equal where their messages are, but for numbers in them. */
  failed(error: unknown): void {
    this.#log[this.#isNew(operatorMessage(error)) ? 'error' : 'debug']({ err: error }, 'job failed')
  }

  /** The record of a run was stored, or could not be. @param error null: it was */
  stored(error: unknown): void {
    const words = error === null ? null : withoutNumbers(operatorMessage(error))
    if (words !== null) {
      this.#log[words === this.#unstored ? 'debug' : 'warn']({ err: error }, 'the end of a job could not be stored')
    }
    this.#unstored = words
  }

  #isNew(words: string): boolean {
    const before = this.#fault
    this.#fault = withoutNumbers(words)
    return this.#fault !== before
  }
}

/** Names of the jobs whose schedule is paused: stored with the catalog, for all processes that run jobs. */
export const readPausedJobs = async (catalog: Pick<StateStore, 'readState'>): Promise<string[]> =>
  (await catalog.readState<string[]>(stateKeys.pausedJobs)) ?? []

/** Whether the schedule of a job is paused, so that it runs only when triggered. */
export const isPaused = async (catalog: Pick<StateStore, 'readState'>, name: string): Promise<boolean> =>
  (await readPausedJobs(catalog)).includes(name)

/** Pauses the schedules of jobs. Returns the names of all paused jobs. */
export async function pauseJobs(catalog: StateStore, names: string[]): Promise<string[]> {
  const paused = [...new Set([...(await readPausedJobs(catalog)), ...names])]
  await catalog.writeState(stateKeys.pausedJobs, paused)
  return paused
}

/** Resumes the schedules of jobs. Returns the names of the resumed jobs, and of those still paused. */
export async function resumeJobs(
  catalog: StateStore,
  names: string[],
): Promise<{ resumed: string[]; paused: string[] }> {
  const before = await readPausedJobs(catalog)
  const paused = before.filter((name) => !names.includes(name))
  await catalog.writeState(stateKeys.pausedJobs, paused.length === 0 ? null : paused)
  return { resumed: before.filter((name) => names.includes(name)), paused }
}
