import type { JobRun, JobRunControl, JobSchedule, JobStatus, JobWatcher } from '../../ports/job-scheduler.js'

/** A failed run is tried again after this long at first, then twice as long each time… */
const firstRetryMs = 2_000

/** …up to this. */
const longestRetryMs = 60_000

/** The ticker comes once a second, give or take: what is due within this is due. */
const tickSlackMs = 500

export interface ScheduledJobOptions {
  schedule: JobSchedule
  lastRun: JobRun | null
  run: (control: JobRunControl) => Promise<Record<string, unknown>>
  random: () => number
}

/** One job of a scheduler: when it is due, the run under way, and the one that waits behind it. */
export class ScheduledJob {
  readonly #options: ScheduledJobOptions
  readonly #stopping = new AbortController()
  #running: Promise<JobRun> | null = null
  /** Those who triggered the run under way. */
  #watchers: Partial<JobWatcher>[] = []
  /** The one run that all triggers during the present run share. */
  #following: Promise<JobRun> | null = null
  #followingWatchers: Partial<JobWatcher>[] = []
  #lastRun: JobRun | null
  /** By the monotonic clock; null: not by itself. */
  #dueAtMs: number | null
  #failures = 0

  constructor(options: ScheduledJobOptions) {
    this.#options = options
    this.#lastRun = options.lastRun
    this.#dueAtMs = firstDueAtMs(options)
  }

  /** Begins a run when it is time for one and none is under way. */
  runIfDue(): void {
    const due = this.#dueAtMs !== null && performance.now() >= this.#dueAtMs - tickSlackMs
    if (due && this.#running === null && !this.#stopping.signal.aborted) {
      void this.#begin(false, [])
    }
  }

  /** Runs it now, or once more behind the run under way. */
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
      // Whoever heard of that run's end first has begun the next one already.
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

  /** Asks the run under way to stop; resolves when it and a run behind it have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped because the service ends; the next run goes on from there'))
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
      const result = await this.#options.run({ signal: this.#stopping.signal, byHand, watcher: this.#everyWatcher })
      return { ...ended(), outcome: 'succeeded', result, error: null }
    } catch (error) {
      return { ...ended(), outcome: 'failed', result: null, error: messageOf(error) }
    }
  }

  readonly #everyWatcher: JobWatcher = {
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
    // Jobs that failed together, because of the same thing, should not all come back in the same second.
    const backoffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (this.#failures - 1))
    return performance.now() + backoffMs * (0.5 + this.#options.random() / 2)
  }
}

function firstDueAtMs({ schedule, lastRun }: ScheduledJobOptions): number | null {
  if (schedule.everySeconds === null) {
    return null
  }
  const everyMs = schedule.everySeconds * 1_000
  const sinceMs = lastRun?.outcome === 'succeeded' ? Date.now() - Date.parse(lastRun.startedAt) : everyMs
  // A last run in the future was noted by a clock that has since been set back: it says nothing.
  return performance.now() + (sinceMs >= 0 && sinceMs < everyMs ? everyMs - sinceMs : 0)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
