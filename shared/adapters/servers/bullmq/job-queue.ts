import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type JobSchedulerTemplateOptions, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { JobRun, JobSchedule, JobStatus, JobWatcher } from '../../../ports/job-scheduler.js'
import { unavailable } from '../../../runtime/errors.js'
import { RunFollower, triggeredPrefix } from './run.js'

/** Of the names of all keys in Redis. */
export const queuePrefix = 'catalog-jobs'

/** Maximum attempts of a scheduled run. */
export const maxAttempts = 5

/** Milliseconds between two requests for the state of a triggered run: a person waits for it. */
const outcomePollMs = 100

/** Following a triggered run fails when Redis is unavailable for longer than this. */
const outcomeTimeoutMs = 60_000

/** Tolerated difference between the clocks of two processes. */
const clockSlackMs = 5_000

export interface BullmqJobQueueOptions {
  schedule: JobSchedule
  /** A client whose commands fail while Redis is unavailable. Not closed by the queue. */
  connection: Redis
  /** Of the names of all keys. */
  prefix: string
  /** The wait before the first retry of a scheduled run; doubled for each further one, with 50 % jitter. */
  firstRetryMs: number
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
  /** The last run enqueued by this process: runs are enqueued one after the other. */
  #lastEnqueued: Promise<unknown> = Promise.resolve()
  /** The next run, shared by all triggers before it is enqueued; null: none. */
  #nextEnqueued: Promise<string> | null = null

  constructor(options: BullmqJobQueueOptions) {
    const { schedule, connection, prefix, onError } = options
    this.#options = options
    // A version check against a Redis that is not up yet would break the queue permanently; the workers check it.
    this.#queue = new Queue(schedule.name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true })
    this.#queue.on('error', onError)
  }

  /**
   * Writes the schedule and the limit of one run at a time, if they are missing in Redis.
   *
   * @param overwrite also if they exist: settings may have changed with this version
   */
  async ensure(overwrite: boolean): Promise<void> {
    const { name, everySeconds } = this.#options.schedule
    await this.#queue.setGlobalConcurrency(1)
    if (everySeconds === null) {
      await this.#queue.removeJobScheduler(name)
    } else if (overwrite || !(await this.#isScheduled(everySeconds * 1_000))) {
      await this.#removeTooLate(everySeconds * 1_000)
      await this.#queue.upsertJobScheduler(
        name,
        { every: everySeconds * 1_000 },
        { name, data: {}, opts: this.#retries(everySeconds * 1_000) },
      )
    }
  }

  /** Enqueues a run, or joins a triggered one that has not started; resolves with its outcome. */
  async trigger(watcher: Partial<JobWatcher> = {}): Promise<JobRun> {
    this.#nextEnqueued ??= this.#lastEnqueued.then(() => {
      this.#nextEnqueued = null
      const enqueued = this.#enqueue()
      this.#lastEnqueued = enqueued.catch(() => undefined)
      return enqueued
    })
    return this.#outcome(await this.#translated(this.#nextEnqueued), new RunFollower(this.#queue, watcher))
  }

  /** Enqueues a run that begins after so many seconds. */
  async triggerLater(seconds: number): Promise<void> {
    const jobId = `${triggeredPrefix}${randomUUID()}`
    await this.#translated(this.#queue.add(this.#queue.name, {}, { jobId, attempts: 1, delay: seconds * 1_000 }))
  }

  status(): Promise<JobStatus> {
    const { schedule } = this.#options
    const asked = Promise.all([
      this.#queue.getJobScheduler(schedule.name),
      this.#queue.getJobCounts('active', 'waiting', 'failed'),
      // The newest of each.
      this.#queue.getJobs(['completed', 'failed'], 0, 0),
    ]).then(([scheduler, counts, [one, other]]) => {
      const last = (other?.finishedOn ?? 0) > (one?.finishedOn ?? 0) ? other : one
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

  /** Whether the schedule exists with this interval, and its next run is enqueued or in progress. */
  async #isScheduled(everyMs: number): Promise<boolean> {
    const { name } = this.#options.schedule
    const scheduler = await this.#queue.getJobScheduler(name)
    if (scheduler?.every !== everyMs || isTooLate(scheduler, everyMs)) {
      return false
    }
    // BullMQ enqueues the next run when the current one starts. When that fails, nothing enqueues it later.
    const next = await this.#queue.getJob(`repeat:${name}:${scheduler.next}`)
    return next !== undefined && next.finishedOn === undefined
  }

  /** An overwritten schedule keeps the time of its next run. When that is too late, the schedule must be removed first. */
  async #removeTooLate(everyMs: number): Promise<void> {
    const { name } = this.#options.schedule
    const scheduler = await this.#queue.getJobScheduler(name)
    if (scheduler !== undefined && isTooLate(scheduler, everyMs)) {
      await this.#queue.removeJobScheduler(name)
    }
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

  async #enqueue(): Promise<string> {
    const { name } = this.#options.schedule
    const waiting = await this.#queue.getJobs(['waiting'])
    const shared = waiting.find(({ id }) => id?.startsWith(triggeredPrefix))
    if (shared?.id !== undefined) {
      return shared.id
    }
    const jobId = `${triggeredPrefix}${randomUUID()}`
    // One attempt: the caller gets the error, and decides.
    await this.#queue.add(name, {}, { jobId, attempts: 1 })
    return jobId
  }

  /** Polls, since an event that is lost when Redis loses its memory would be waited for for ever. */
  async #outcome(jobId: string, follower: RunFollower): Promise<JobRun> {
    let deadlineMs = performance.now() + outcomeTimeoutMs
    for (;;) {
      let job: Job | undefined | null
      try {
        job = await this.#queue.getJob(jobId)
        if (job !== undefined) {
          await follower.report(job)
        }
        deadlineMs = performance.now() + outcomeTimeoutMs
      } catch (error) {
        if (this.#queue.closing || performance.now() > deadlineMs) {
          throw notAnswering(error)
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
      throw notAnswering(error)
    }
  }
}

const notAnswering = (error: unknown) =>
  unavailable('jobs_unavailable', 'The job queue does not answer: is Redis up, at the address in REDIS_URL?', 10, error)

/** Whether the next run is later than the interval allows: the clock was set back after it was scheduled. */
const isTooLate = ({ next }: { next?: number }, everyMs: number): boolean =>
  (next ?? 0) > Date.now() + everyMs + clockSlackMs

function toRun(job: Job): JobRun {
  const endedAtMs = job.finishedOn ?? Date.now()
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
