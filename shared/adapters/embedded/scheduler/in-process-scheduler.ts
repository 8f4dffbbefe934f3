import type {
  JobRun,
  JobSchedule,
  JobScheduler,
  JobStatus,
  JobWatcher,
  RunScheduledJob,
} from '../../../ports/job-scheduler.js'
import { ScheduledJob } from './scheduled-job.js'

/** How often it is looked whether a job is due. */
const tickMs = 250

/** Options of an in-process scheduler. */
export interface InProcessSchedulerOptions {
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

  async request(name: string): Promise<void> {
    void this.#job(name).trigger()
  }

  async trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun> {
    return this.#job(name).trigger(watcher)
  }

  async triggerLater(name: string, seconds: number): Promise<void> {
    const job = this.#job(name)
    setTimeout(() => void job.trigger(), seconds * 1_000).unref()
  }

  async status(): Promise<JobStatus[]> {
    return [...this.#jobs.values()].map((job) => job.status())
  }

  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#ticker)
    const ended = Promise.all([...this.#jobs.values()].map((job) => job.stop()))
    let grace: NodeJS.Timeout | undefined
    const graceExpired = new Promise<void>((resolve) => {
      grace = setTimeout(resolve, graceMs)
    })
    await Promise.race([ended, graceExpired])
    clearTimeout(grace)
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
