import type { Job, Queue } from 'bullmq'
import type { JobFinding, JobWatcher, RunScheduledJob } from '../../../ports/job-scheduler.js'

/** Maximum findings of a run in Redis; the run's result counts all of them. */
const maxKeptFindings = 100

/** The progress of a run in Redis. */
interface StoredProgress {
  done: number
  total: number | null
}

/** Does a run, and writes its progress and findings to Redis for followers in other processes. */
export async function runInQueue(
  job: Job,
  run: RunScheduledJob,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const writer = new ProgressWriter(job)
  const byHand = job.repeatJobKey === undefined
  try {
    // From here on, a request is for a further run.
    await job.removeDeduplicationKey()
    return await run(job.name, { signal, byHand, watcher: writer })
  } finally {
    // Followers must be able to read everything before they see the end of the run.
    await writer.written()
  }
}

/** Writes progress and findings, one command at a time: they must not pile up while Redis is slow or unavailable. */
class ProgressWriter implements JobWatcher {
  readonly #job: Job
  #findings = 0
  #newest: StoredProgress | null = null
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

  /** Resolves when all progress and findings so far are written. */
  async written(): Promise<void> {
    await this.#written
  }

  /** An error is ignored: progress is only shown, and must not fail the run. */
  #write(command: () => Promise<unknown> | undefined): void {
    this.#written = this.#written.then(command).catch(() => undefined)
  }
}

/** Reports new progress and findings of a run to a watcher. */
export class RunFollower {
  readonly #queue: Queue
  readonly #watcher: Partial<JobWatcher>
  #shown = ''
  #read = 0

  constructor(queue: Queue, watcher: Partial<JobWatcher>) {
    this.#queue = queue
    this.#watcher = watcher
  }

  /** @param job the run in its current state */
  async report(job: Job): Promise<void> {
    const shown = JSON.stringify(job.progress)
    if (isStoredProgress(job.progress) && shown !== this.#shown) {
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

/** The progress of a run without any is 0. */
const isStoredProgress = (progress: unknown): progress is StoredProgress =>
  typeof progress === 'object' && progress !== null && 'done' in progress && 'total' in progress
