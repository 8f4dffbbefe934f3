/** The schedule of a job. */
export interface JobSchedule {
  name: string
  /** Seconds from the beginning of one run to the next; null: only when triggered. */
  everySeconds: number | null
}

/** The end of a run. */
export interface JobRun {
  /** ISO-8601. */
  startedAt: string
  endedAt: string
  /** `waiting`: it did nothing, because another job has to run first. */
  outcome: 'succeeded' | 'failed' | 'waiting'
  /** The counts of the run; null for a failed run, which has an `error`. */
  result: Record<string, unknown> | null
  error: string | null
}

export interface JobStatus extends JobSchedule {
  running: boolean
  /** The number of runs that wait to start. */
  waiting: number
  /** The number of failed runs kept for inspection; 0 for a scheduler that keeps none. */
  failed: number
  lastRun: JobRun | null
  /** ISO-8601; null for a job without a schedule, or when the scheduler was stopped. */
  nextRunAt: string | null
}

/** A finding of a run about one record, for the operator. */
export interface JobFinding {
  id: string
  /**
   * `rejected`: it cannot be published or indexed as stored. Of the index compared with the catalog, `missing`: not
   * in the index; `extra`: in the index only; `different`: in both, with other content.
   */
  kind: 'rejected' | 'missing' | 'extra' | 'different'
  /** Why it was rejected; of a difference the server that has it, null for the only one. */
  reason: string | null
}

/** Receives the progress and findings of a running job, for display: perhaps late, and perhaps twice. */
export interface JobWatcher {
  /** `done` of `total` records; a total of null is not known. */
  progress(done: number, total: number | null): void
  /** Receives findings; of very many only the first ones. */
  report(finding: JobFinding): void
}

/** What the scheduler passes to a run. */
export interface JobRunControl {
  /** Asks the run to stop between two steps. */
  signal: AbortSignal
  /** True for a triggered run, false for a scheduled one. */
  byHand: boolean
  /** Reports to the callers that triggered the run. */
  watcher: JobWatcher
}

/** Does one run of the named job. */
export type RunScheduledJob = (name: string, control: JobRunControl) => Promise<Record<string, unknown>>

/** Runs jobs on their schedules, one run of a job at a time. */
export interface JobScheduler {
  /** Starts to run the jobs. An error of `run` is kept as the run's error, and the schedule continues. */
  start(schedules: JobSchedule[], run: RunScheduledJob): Promise<void>

  /**
   * Asks for a run of a job: now, or once more after its current run. Requests share the run until it starts. Resolves when
   * it is certain to take place.
   *
   * @param afterSeconds for a run of its own so much later; where the schedule outlives this process, so does that run
   */
  request(name: string, afterSeconds?: number): Promise<void>

  /**
   * As `request`; resolves when that run has ended.
   *
   * @param watcher receives the progress and findings of that run
   */
  trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun>

  status(): Promise<JobStatus[]>

  /** Starts nothing new, asks running jobs to stop, and waits for them at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/**
 * Jobs that other processes run, for commands.
 *
 * @throws AppError `jobs_unavailable` (503) when the queue does not answer; from `trigger` also `run_lost` when it no
 * longer knows the run
 */
export interface RemoteJobs extends Pick<JobScheduler, 'request' | 'trigger' | 'status' | 'stop'> {
  /** The number of processes that run jobs. */
  connected(): Promise<number>
}
