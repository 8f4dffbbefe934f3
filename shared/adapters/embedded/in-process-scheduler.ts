import { Cron } from 'croner'
import type {
  JobRun,
  JobSchedule,
  JobScheduler,
  JobStatus,
  JobWatcher,
  RunScheduledJob,
} from '../../ports/job-scheduler.js'
import { ScheduledJob } from './scheduled-job.js'

/** What an in-process scheduler may be told. */
export interface InProcessSchedulerOptions {
  /** How a job's last run ended, in an earlier process; a job that is overdue by it runs at once. Default: never ran. */
  lastRun?: (name: string) => Promise<JobRun | null>
  /** 0 to just under 1. Default `Math.random`. */
  random?: () => number
}

/** Runs jobs in this process; what it knows of them ends with it. */
export class InProcessScheduler implements JobScheduler {
  readonly #lastRun: (name: string) => Promise<JobRun | null>
  readonly #random: () => number
  #jobs = new Map<string, ScheduledJob>()
  #ticker: Cron | null = null

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
    // One tick a second for all: what is due is told by the monotonic clock, so that a wall clock set back or
    // forward makes no job wait for hours or run twice.
    this.#ticker = new Cron('* * * * * *', { protect: true }, () => this.#runDue())
    this.#runDue()
  }

  async trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun> {
    const job = this.#jobs.get(name)
    if (job === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    return job.trigger(watcher)
  }

  async status(): Promise<JobStatus[]> {
    return [...this.#jobs.values()].map((job) => job.status())
  }

  async stop(graceMs: number): Promise<void> {
    this.#ticker?.stop()
    const ended = Promise.all([...this.#jobs.values()].map((job) => job.stop()))
    let grace: NodeJS.Timeout | undefined
    const outOfGrace = new Promise<void>((resolve) => {
      grace = setTimeout(resolve, graceMs)
    })
    await Promise.race([ended, outOfGrace])
    clearTimeout(grace)
  }

  #runDue(): void {
    for (const job of this.#jobs.values()) {
      job.runIfDue()
    }
  }
}
