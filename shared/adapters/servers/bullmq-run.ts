import type { Job, Queue } from 'bullmq'
import type { JobFinding, JobWatcher, RunScheduledJob } from '../../ports/job-scheduler.js'

/** Begins the id of a run that was triggered, which tells it from those of the schedule. */
export const triggeredPrefix = 'triggered-'

/** Redis keeps so many findings of a run; the run's result counts all of them. */
const maxKeptFindings = 100

/** How far a run has come, as it is kept in Redis. */
interface KeptProgress {
  done: number
  total: number | null
}

/** Does a run whose progress and findings are kept in Redis beside it, for whoever follows it from another process. */
export async function runInQueue(
  job: Job,
  run: RunScheduledJob,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const keeper = new ProgressKeeper(job)
  const byHand = job.id?.startsWith(triggeredPrefix) === true
  try {
    return await run(job.name, { signal, byHand, watcher: keeper })
  } finally {
    // Before the end of the run can be seen: who follows it has then been told everything.
    await keeper.kept()
  }
}

/** Writes what a run tells, one command at a time: a Redis that is slow or away must not make it gather. */
class ProgressKeeper implements JobWatcher {
  readonly #job: Job
  #findings = 0
  #newest: KeptProgress | null = null
  #written: Promise<unknown> = Promise.resolve()

  constructor(job: Job) {
    this.#job = job
  }

  progress(done: number, total: number | null): void {
    const first = this.#newest === null
    this.#newest = { done, total }
    if (first) {
      this.#write(() => {
        const newest = this.#newest
        this.#newest = null
        return newest === null ? undefined : this.#job.updateProgress(newest)
      })
    }
  }

  report(finding: JobFinding): void {
    this.#findings += 1
    if (this.#findings <= maxKeptFindings) {
      this.#write(() => this.#job.log(JSON.stringify(finding)))
    }
  }

  async kept(): Promise<void> {
    await this.#written
  }

  /** What cannot be kept is not shown, which does the run no harm. */
  #write(command: () => Promise<unknown> | undefined): void {
    this.#written = this.#written.then(command).catch(() => undefined)
  }
}

/** Tells a watcher what is new about a run, each time it looks. */
export class RunFollower {
  readonly #queue: Queue
  readonly #watcher: Partial<JobWatcher>
  #shown = ''
  #read = 0

  constructor(queue: Queue, watcher: Partial<JobWatcher>) {
    this.#queue = queue
    this.#watcher = watcher
  }

  /** @param job the run as it is now */
  async look(job: Job): Promise<void> {
    const shown = JSON.stringify(job.progress)
    if (isKeptProgress(job.progress) && shown !== this.#shown) {
      this.#shown = shown
      this.#watcher.progress?.(job.progress.done, job.progress.total)
    }
    if (this.#watcher.report !== undefined && job.id !== undefined) {
      const { logs } = await this.#queue.getJobLogs(job.id, this.#read)
      this.#read += logs.length
      for (const line of logs) {
        this.#watcher.report(JSON.parse(line) as JobFinding)
      }
    }
  }
}

/** A run that has told nothing yet has the progress 0. */
const isKeptProgress = (progress: unknown): progress is KeptProgress =>
  typeof progress === 'object' && progress !== null && 'done' in progress && 'total' in progress
