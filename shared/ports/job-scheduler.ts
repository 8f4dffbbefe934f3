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
  /** `waiting`: it did nothing, since another job has to run first. */
  outcome: 'succeeded' | 'failed' | 'waiting'
  /** The result's counts, or for a failed run the reason in words. */
  result: Record<string, unknown> | null
  error: string | null
}

export interface JobStatus extends JobSchedule {
  running: boolean
  /** How many runs wait to begin. */
  waiting: number
  /** How many failed runs are kept to be looked at; a scheduler that keeps none tells 0. */
  failed: number
  lastRun: JobRun | null
  /** ISO-8601; null when it does not run by itself, or the scheduler was stopped. */
  nextRunAt: string | null
}

/** What a run found about one record. */
export interface JobFinding {
  id: string
  /** A word of the job's own, for instance `missing`. */
  kind: string
  /** In words; null where the kind says it all. */
  reason: string | null
}

/** Looks on while a run is under way. What it is told is for showing: it may be told late, and the same thing twice. */
export interface JobWatcher {
  /** `done` of `total` records; a total of null is not known. */
  progress(done: number, total: number | null): void
  /** Hears what is found; of very many findings only the first ones. */
  report(finding: JobFinding): void
}

/** What a run is given by the scheduler. */
export interface JobRunControl {
  /** Asks it to stop between two steps. */
  signal: AbortSignal
  /** True for a run that was triggered, false for one of the schedule. */
  byHand: boolean
  /** Tells those who triggered the run. */
  watcher: JobWatcher
}

/** Does one run of the named job. */
export type RunScheduledJob = (name: string, control: JobRunControl) => Promise<Record<string, unknown>>

/** Runs jobs on their schedules, one run of a job at a time. */
export interface JobScheduler {
  /** Begins to run the jobs. What `run` throws is kept as the run's error, and the schedule goes on. */
  start(schedules: JobSchedule[], run: RunScheduledJob): Promise<void>

  /**
   * Runs a job now, or once more behind the run that is under way; resolves when that run has ended.
   *
   * @param watcher hears of that run while it is under way
   */
  trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun>

  status(): Promise<JobStatus[]>

  /** Starts nothing new, asks running jobs to stop, and waits for them at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/**
 * Jobs that other processes run: what a command may ask of them.
 *
 * @throws AppError `jobs_unavailable` (503) when whatever stands between does not answer; from `trigger` also
 * `run_lost` when it has forgotten the run
 */
export interface RemoteJobs extends Pick<JobScheduler, 'trigger' | 'status' | 'stop'> {
  /** How many processes are there that run jobs. */
  connected(): Promise<number>
}
