import type {
  JobRun,
  JobRunControl,
  JobSchedule,
  JobScheduler,
  JobStatus,
  JobWatcher,
  RunScheduledJob,
} from '../../../ports/job-scheduler.js'
import { AppError } from '../../../runtime/errors.js'
import { orNull } from '../../../runtime/operations.js'

/** Pause before the first retry of a failed run; it doubles with each failure… */
const firstRetryMs = 2_000

/** …up to this. */
const maxRetryMs = 60_000

/** A full disk has room again as soon as files are deleted. */
const fullDiskRetryMs = 3_000
const fullDiskCodes = ['disk_full', 'exports_not_written']

/** The timer ticks every 250 ms, give or take: a job that is due within this is due. */
const tickSlackMs = 125

interface ScheduledJobOptions {
  schedule: JobSchedule
  lastRun: JobRun | null
  run: (control: JobRunControl) => Promise<Record<string, unknown>>
  random: () => number
}

/** One job of a scheduler: its due time, its current run, and the run waiting after it. */
class ScheduledJob {
  readonly #options: ScheduledJobOptions
  readonly #stopping = new AbortController()
  #running: Promise<JobRun> | null = null
  /** The triggers of the current run. */
  #watchers: Partial<JobWatcher>[] = []
  /** The one run that all triggers during the current run share. */
  #following: Promise<JobRun> | null = null
  #followingWatchers: Partial<JobWatcher>[] = []
  #lastRun: JobRun | null
  /** On the monotonic clock; null: not scheduled. */
  #dueAtMs: number | null
  #failures = 0
  #isDiskFull = false

  constructor(options: ScheduledJobOptions) {
    this.#options = options
    this.#lastRun = options.lastRun
    this.#dueAtMs = firstDueAtMs(options)
  }

  /** Starts a run when one is due and none is in progress. */
  runIfDue(): void {
    const due = this.#dueAtMs !== null && performance.now() >= this.#dueAtMs - tickSlackMs
    if (due && this.#running === null && !this.#stopping.signal.aborted) {
      void this.#begin(false, [])
    }
  }

  /** Runs the job now, or once more after the current run. */
  trigger(watcher: Partial<JobWatcher> = {}): Promise<JobRun> {
    if (this.#running === null) {
      return this.#begin(true, [watcher])
    }
    this.#followingWatchers.push(watcher)
    this.#following ??= this.#running.then(() => {
      const watchers = this.#followingWatchers
      this.#following = null
      this.#followingWatchers = []
      if (this.#running === null) {
        return this.#begin(true, watchers)
      }
      // A caller that awaited that run may already have started the next one.
      this.#watchers.push(...watchers)
      return this.#running
    })
    return this.#following
  }

  status(): JobStatus {
    const waitMs = this.#dueAtMs === null ? null : Math.max(0, this.#dueAtMs - performance.now())
    return {
      ...this.#options.schedule,
      running: this.#running !== null,
      waiting: this.#following === null ? 0 : 1,
      failed: 0,
      lastRun: this.#lastRun,
      nextRunAt: waitMs === null || this.#stopping.signal.aborted ? null : new Date(Date.now() + waitMs).toISOString(),
    }
  }

  /** Aborts the current run; resolves when it and a waiting run have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped because the service ends; the next run continues'))
    await this.#running
    await this.#following
  }

  #begin(byHand: boolean, watchers: Partial<JobWatcher>[]): Promise<JobRun> {
    const startedAtMs = performance.now()
    this.#watchers = watchers
    this.#running = this.#run(byHand).then((run) => {
      this.#running = null
      this.#lastRun = run
      this.#failures = run.outcome === 'failed' ? this.#failures + 1 : 0
      this.#dueAtMs = this.#nextDueAtMs(startedAtMs)
      return run
    })
    return this.#running
  }

  async #run(byHand: boolean): Promise<JobRun> {
    const startedAt = new Date().toISOString()
    const ended = () => ({ startedAt, endedAt: new Date().toISOString() })
    try {
      this.#stopping.signal.throwIfAborted()
      this.#isDiskFull = false
      const result = await this.#options.run({ signal: this.#stopping.signal, byHand, watcher: this.#allWatchers })
      return { ...ended(), outcome: 'succeeded', result, error: null }
    } catch (error) {
      this.#isDiskFull = error instanceof AppError && fullDiskCodes.includes(error.code)
      return { ...ended(), outcome: 'failed', result: null, error: messageOf(error) }
    }
  }

  readonly #allWatchers: JobWatcher = {
    progress: (done, total) => {
      for (const watcher of this.#watchers) {
        watcher.progress?.(done, total)
      }
    },
    report: (finding) => {
      for (const watcher of this.#watchers) {
        watcher.report?.(finding)
      }
    },
  }

  #nextDueAtMs(startedAtMs: number): number | null {
    const { everySeconds } = this.#options.schedule
    if (everySeconds === null) {
      return null
    }
    if (this.#failures === 0) {
      return startedAtMs + everySeconds * 1_000
    }
    // Jitter: jobs that failed for the same reason should not all retry in the same second.
    const limitMs = this.#isDiskFull ? fullDiskRetryMs : maxRetryMs
    const backoffMs = Math.min(limitMs, firstRetryMs * 2 ** (this.#failures - 1))
    return performance.now() + backoffMs * (0.5 + this.#options.random() / 2)
  }
}

function firstDueAtMs({ schedule, lastRun }: ScheduledJobOptions): number | null {
  if (schedule.everySeconds === null) {
    return null
  }
  const everyMs = schedule.everySeconds * 1_000
  const sinceMs = lastRun?.outcome === 'succeeded' ? Date.now() - Date.parse(lastRun.startedAt) : everyMs
  // A last run in the future comes from a wall clock that was set back since: ignored.
  return performance.now() + (sinceMs >= 0 && sinceMs < everyMs ? everyMs - sinceMs : 0)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** How often it is looked whether a job is due. */
const tickMs = 250

interface InProcessSchedulerOptions {
  /**
   * How a job's last run in an earlier process ended; a job that is overdue since then runs at once. Default: never
   * ran.
   */
  lastRun?: (name: string) => Promise<JobRun | null>
  /** 0 to just under 1. Default `Math.random`. */
  random?: () => number
}

/** Runs jobs in this process; its state ends with the process. */
export class InProcessScheduler implements JobScheduler {
  readonly #lastRun: (name: string) => Promise<JobRun | null>
  readonly #random: () => number
  #jobs = new Map<string, ScheduledJob>()
  #ticker: NodeJS.Timeout | undefined

  constructor(options: InProcessSchedulerOptions = {}) {
    this.#lastRun = options.lastRun ?? (async () => null)
    this.#random = options.random ?? Math.random
  }

  async start(schedules: JobSchedule[], run: RunScheduledJob): Promise<void> {
    for (const schedule of schedules) {
      const lastRun = await this.#lastRun(schedule.name)
      this.#jobs.set(
        schedule.name,
        new ScheduledJob({ schedule, lastRun, random: this.#random, run: (control) => run(schedule.name, control) }),
      )
    }
    // One timer for all, on the monotonic clock: a wall clock set back or forward makes no job wait for hours or run
    // twice.
    this.#ticker = setInterval(() => this.#runDue(), tickMs)
    this.#runDue()
  }

  async request(name: string, afterSeconds?: number): Promise<void> {
    const job = this.#job(name)
    if (afterSeconds === undefined) {
      void job.trigger()
    } else {
      setTimeout(() => void job.trigger(), afterSeconds * 1_000).unref()
    }
  }

  async trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun> {
    return this.#job(name).trigger(watcher)
  }

  async status(): Promise<JobStatus[]> {
    return [...this.#jobs.values()].map((job) => job.status())
  }

  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#ticker)
    await orNull(Promise.all([...this.#jobs.values()].map((job) => job.stop())), graceMs)
  }

  #job(name: string): ScheduledJob {
    const job = this.#jobs.get(name)
    if (job === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    return job
  }

  #runDue(): void {
    for (const job of this.#jobs.values()) {
      job.runIfDue()
    }
  }
}
