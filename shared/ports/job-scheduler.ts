/** When a job runs by itself. */
export interface JobSchedule {
  name: string
  /** Seconds from the beginning of one run to the next; null: only when triggered. */
  everySeconds: number | null
}

/** How a run ended. */
export interface JobRun {
  /** ISO-8601. */
  startedAt: string
  endedAt: string
  outcome: 'succeeded' | 'failed'
  /** The result's counts, or for a failed run the reason in words. */
  result: Record<string, unknown> | null
  error: string | null
}

export interface JobStatus extends JobSchedule {
  running: boolean
  lastRun: JobRun | null
  /** ISO-8601; null when it does not run by itself, or the scheduler was stopped. */
  nextRunAt: string | null
}

/** Runs jobs on their schedules, one run of a job at a time. */
export interface JobScheduler {
  /**
   * Begins to run the jobs.
   *
   * @param run does one run of the named job; `signal` asks it to stop between two steps. What it throws is kept as
   * the run's error, and the schedule goes on.
   */
  start(
    schedules: JobSchedule[],
    run: (name: string, signal: AbortSignal) => Promise<Record<string, unknown>>,
  ): Promise<void>

  /** Runs a job now, or once more behind the run that is under way; resolves when that run has ended. */
  trigger(name: string): Promise<JobRun>

  status(): Promise<JobStatus[]>

  /** Starts nothing new, asks running jobs to stop, and waits for them at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}
