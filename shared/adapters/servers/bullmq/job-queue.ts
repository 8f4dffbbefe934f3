import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type JobSchedulerTemplateOptions, Queue } from 'bullmq'
import type {
  JobFinding,
  JobRun,
  JobSchedule,
  JobStatus,
  JobWatcher,
  RunScheduledJob,
} from '../../../ports/job-scheduler.js'
import { type AppError, unavailable } from '../../../runtime/errors.js'
import { needsHashTags, type RedisClient } from '../redis/connect.js'

const queuePrefix = 'catalog-jobs'

/** Maximum attempts of a scheduled run. */
export const maxAttempts = 5

/** Milliseconds between two requests for the state of a triggered run: a person waits for it. */
const outcomePollMs = 100

/** Following a triggered run fails when Redis is unavailable for longer than this. */
const outcomeTimeoutMs = 60_000

/** Maximum findings of a run in Redis; the run's result counts all of them. */
const maxKeptFindings = 100

/** Tolerated difference between the clocks of two processes. */
const clockSlackMs = 5_000

/** The beginning of all keys; in a cluster a hash tag, since the keys that one script uses must be on one node. */
export const prefixFor = (url: string): string => (needsHashTags(url) ? `{${queuePrefix}}` : queuePrefix)

export interface BullmqJobQueueOptions {
  schedule: JobSchedule
  /** A client whose commands fail while Redis is unavailable. Not closed by the queue. */
  connection: RedisClient
  /** The beginning of all keys. */
  prefix: string
  /** The wait before the first retry of a scheduled run; doubled for each further one, with 50 % jitter. */
  firstRetryMs: number
  /** Why there is no connection; null: there is one, or nothing is known. A command says only that there is none. */
  outage: () => Error | null
  onError: (error: unknown) => void
}

/**
 * One job in Redis: its schedule, the waiting runs, and the outcomes of the last ones.
 *
 * Each job has its own queue, since the limit of one run at a time is a property of a queue.
 */
export class BullmqJobQueue {
  readonly #options: BullmqJobQueueOptions
  readonly #queue: Queue

  constructor(options: BullmqJobQueueOptions) {
    const { schedule, connection, prefix, onError } = options
    this.#options = options
    // A version check against a Redis that is not up yet would break the queue permanently; the workers check it.
    this.#queue = new Queue(schedule.name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true })
    this.#queue.on('error', onError)
  }

  /** Writes the schedule and the limit of one run at a time; one that exists keeps the time of its next run. */
  async ensure(): Promise<void> {
    const { name, everySeconds } = this.#options.schedule
    await this.#queue.setGlobalConcurrency(1)
    const next = (await this.#queue.getJobScheduler(name))?.next ?? 0
    // The clock was set back after it was scheduled.
    const isTooLate = everySeconds === null || next > Date.now() + everySeconds * 1_000 + clockSlackMs
    if (isTooLate) {
      await this.#queue.removeJobScheduler(name)
    }
    if (everySeconds !== null) {
      const every = everySeconds * 1_000
      await this.#queue.upsertJobScheduler(name, { every }, { name, data: {}, opts: this.#retries(every) })
    }
  }

  /**
   * Adds a run, or joins one that has been requested and has not started: it takes its key of deduplication off when it
   * starts. (`keepLastIfActive` would answer with the id of the run in progress, which may have begun too early.)
   *
   * @param afterSeconds adds a run of its own, which begins so much later
   * @returns its id
   * @see https://docs.bullmq.io/patterns/deduplication
   */
  request(afterSeconds?: number): Promise<string> {
    const { name } = this.#options.schedule
    const when = afterSeconds === undefined ? { deduplication: { id: name } } : { delay: afterSeconds * 1_000 }
    // One attempt: who asked for it gets the error, and decides.
    const options = { jobId: randomUUID(), attempts: 1, ...when }
    return this.#translated(this.#queue.add(name, {}, options).then(({ id = '' }) => id))
  }

  /** Requests a run, and resolves with its outcome. */
  async trigger(watcher: Partial<JobWatcher> = {}): Promise<JobRun> {
    return this.#outcome(await this.request(), follower(this.#queue, watcher))
  }

  status(): Promise<JobStatus> {
    const { schedule } = this.#options
    const asked = Promise.all([
      this.#queue.getJobScheduler(schedule.name),
      this.#queue.getJobCounts('active', 'waiting', 'failed'),
      // The newest run in each state; of the delayed ones the first, which has failed and is tried again.
      this.#queue.getJobs(['completed', 'failed'], 0, 0),
      this.#queue.getDelayed(0, 0),
    ]).then(([scheduler, counts, ended, delayed]) => {
      const tried = delayed.filter(({ attemptsMade }) => attemptsMade > 0)
      const [last] = [...ended, ...tried].sort((one, other) => endOf(other) - endOf(one))
      return {
        name: schedule.name,
        // The interval of the indexers, which may be configured differently from this process.
        everySeconds: scheduler?.every === undefined ? schedule.everySeconds : scheduler.every / 1_000,
        running: (counts['active'] ?? 0) > 0,
        waiting: counts['waiting'] ?? 0,
        failed: counts['failed'] ?? 0,
        lastRun: last === undefined ? null : toRun(last),
        nextRunAt: scheduler?.next === undefined ? null : new Date(scheduler.next).toISOString(),
      }
    })
    return this.#translated(asked)
  }

  /** The number of workers of all processes. */
  workers(): Promise<number> {
    return this.#translated(this.#queue.getWorkersCount())
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  /** As many attempts as fit before the next scheduled run: with a short interval, that run is the retry. */
  #retries(everyMs: number): JobSchedulerTemplateOptions {
    const { firstRetryMs } = this.#options
    let attempts = 1
    while (attempts < maxAttempts && firstRetryMs * (2 ** attempts - 1) <= everyMs) {
      attempts += 1
    }
    return { attempts, backoff: { type: 'exponential', delay: firstRetryMs, jitter: 0.5 } }
  }

  /** Polls, since an event that is lost when Redis loses its memory would be waited for for ever. */
  async #outcome(jobId: string, report: (job: Job) => Promise<void>): Promise<JobRun> {
    let deadlineMs = performance.now() + outcomeTimeoutMs
    for (;;) {
      let job: Job | undefined | null
      try {
        job = await this.#queue.getJob(jobId)
        if (job !== undefined) {
          await report(job)
        }
        deadlineMs = performance.now() + outcomeTimeoutMs
      } catch (error) {
        if (this.#queue.closing || performance.now() > deadlineMs) {
          throw this.#notAnswering(error)
        }
        job = null
      }
      if (job === undefined) {
        throw unavailable('run_lost', `Redis has lost the run of ${this.#queue.name}: start it again.`, 60)
      }
      if (job?.finishedOn !== undefined) {
        return toRun(job)
      }
      await sleep(outcomePollMs)
    }
  }

  async #translated<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      throw this.#notAnswering(error)
    }
  }

  #notAnswering(error: unknown): AppError {
    const message = 'The job queue does not answer: is Redis up, at the address in REDIS_URL?'
    return unavailable('jobs_unavailable', message, 10, this.#options.outage() ?? error)
  }
}

/** Epoch milliseconds. Of a run that is tried again, only the start of the last attempt is known. */
const endOf = ({ finishedOn, processedOn }: Job): number => finishedOn ?? processedOn ?? 0

function toRun(job: Job): JobRun {
  const endedAtMs = endOf(job)
  // A successful run has a result; the error of an earlier attempt may still be stored.
  const succeeded = job.returnvalue !== null
  return {
    startedAt: new Date(job.processedOn ?? endedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    outcome: succeeded ? 'succeeded' : 'failed',
    result: succeeded ? job.returnvalue : null,
    error: succeeded ? null : reasonOf(job),
  }
}

/** The error of a run; that of BullMQ for a run that is not started again is replaced. */
const reasonOf = ({ failedReason }: Job): string =>
  /^job (started|stalled) more than allowable limit$/.test(failedReason)
    ? 'every process that started it has died or stalled before its end'
    : failedReason

/** Does a run, and writes its progress and findings to Redis for followers in other processes. */
export async function runInQueue(
  job: Job,
  run: RunScheduledJob,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { watcher, written } = progressWriter(job)
  const byHand = job.repeatJobKey === undefined
  try {
    // From here on, a request is for a further run.
    await job.removeDeduplicationKey()
    return await run(job.name, { signal, byHand, watcher })
  } finally {
    // Followers must be able to read everything before they see the end of the run.
    await written()
  }
}

/** The progress of a run in Redis. */
interface StoredProgress {
  done: number
  total: number | null
}

/** Writes progress and findings, one command at a time: they must not pile up while Redis is slow or unavailable. */
function progressWriter(job: Job): { watcher: JobWatcher; written: () => Promise<unknown> } {
  let findings = 0
  let newest: StoredProgress | null = null
  let written: Promise<unknown> = Promise.resolve()
  /** An error is ignored: progress is only shown, and must not fail the run. */
  const write = (command: () => Promise<unknown>) => {
    written = written.then(command).catch(() => undefined)
  }
  const writeNewest = async () => {
    const progress = newest
    newest = null
    await (progress && job.updateProgress(progress))
  }
  const watcher: JobWatcher = {
    progress(done, total) {
      const isWaiting = newest !== null
      newest = { done, total }
      if (!isWaiting) {
        write(writeNewest)
      }
    },
    report(finding) {
      findings += 1
      if (findings <= maxKeptFindings) {
        write(() => job.log(JSON.stringify(finding)))
      }
    },
  }
  return { watcher, written: () => written }
}

/** Reports what is new of a run to a watcher, each time it is called with the run in its current state. */
function follower(queue: Queue, watcher: Partial<JobWatcher>): (job: Job) => Promise<void> {
  let shown = ''
  let read = 0
  return async ({ id, progress }) => {
    const newest = JSON.stringify(progress)
    if (isStoredProgress(progress) && newest !== shown) {
      shown = newest
      watcher.progress?.(progress.done, progress.total)
    }
    if (watcher.report !== undefined && id !== undefined) {
      const { logs } = await queue.getJobLogs(id, read)
      read += logs.length
      for (const line of logs) {
        watcher.report(JSON.parse(line) as JobFinding)
      }
    }
  }
}

/** The progress of a run without any is 0. */
const isStoredProgress = (progress: unknown): progress is StoredProgress =>
  typeof progress === 'object' && progress !== null && 'done' in progress && 'total' in progress
