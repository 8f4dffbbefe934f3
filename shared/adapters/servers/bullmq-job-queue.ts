import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type JobSchedulerTemplateOptions, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { unavailable } from '../../errors.js'
import type { JobRun, JobSchedule, JobStatus, JobWatcher } from '../../ports/job-scheduler.js'
import { RunFollower, triggeredPrefix } from './bullmq-run.js'

/** A scheduled run that fails is tried at most this often. */
export const maxAttempts = 5

/** How often a triggered run is asked whether it has ended: a person waits for it. */
const outcomePollMs = 100

/** A Redis that is away for less than this, while a triggered run goes on, is not worth a word. */
const outcomePatienceMs = 60_000

/** The clocks of two processes may differ by this. */
const clockSlackMs = 5_000

export interface BullmqJobQueueOptions {
  schedule: JobSchedule
  /** A client that fails instead of waiting. Not closed by the queue. */
  connection: Redis
  /** Begins the name of every key. */
  prefix: string
  /** The wait before the first retry of a scheduled run; then twice as long each time, half of it by chance. */
  firstRetryMs: number
  onError: (error: unknown) => void
}

/**
 * What Redis knows of one job: its schedule, the runs that wait, and how the last ones ended.
 *
 * Each job has a queue of its own, since one run at a time is a property of a queue.
 */
export class BullmqJobQueue {
  readonly #options: BullmqJobQueueOptions
  readonly #queue: Queue
  /** Triggers of this process take turns… */
  #lastEnqueued: Promise<unknown> = Promise.resolve()
  /** …and those that come before a turn has begun share it. */
  #nextEnqueued: Promise<string> | null = null

  constructor(options: BullmqJobQueueOptions) {
    const { schedule, connection, prefix, onError } = options
    this.#options = options
    // Asked for the version, a Redis that is not up yet would leave the queue broken for good: the workers check it.
    this.#queue = new Queue(schedule.name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true })
    this.#queue.on('error', onError)
  }

  /**
   * Writes the schedule, and that one run at a time is enough, if Redis does not know them (any more).
   *
   * @param anew true: also when it does, for settings may have changed with this version
   */
  async ensure(anew: boolean): Promise<void> {
    const { name, everySeconds } = this.#options.schedule
    await this.#queue.setGlobalConcurrency(1)
    if (everySeconds === null) {
      await this.#queue.removeJobScheduler(name)
    } else if (anew || !(await this.#isScheduled(everySeconds * 1_000))) {
      await this.#forgetTooLate(everySeconds * 1_000)
      await this.#queue.upsertJobScheduler(
        name,
        { every: everySeconds * 1_000 },
        { name, data: {}, opts: this.#retries(everySeconds * 1_000) },
      )
    }
  }

  /** Enqueues a run, or joins one that was triggered and has not begun; resolves with how it ended. */
  async trigger(watcher: Partial<JobWatcher> = {}): Promise<JobRun> {
    this.#nextEnqueued ??= this.#lastEnqueued.then(() => {
      this.#nextEnqueued = null
      const enqueued = this.#enqueue()
      this.#lastEnqueued = enqueued.catch(() => undefined)
      return enqueued
    })
    return this.#outcome(await this.#translated(this.#nextEnqueued), new RunFollower(this.#queue, watcher))
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
        // As the process that runs it has been told, which may be another one than this.
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

  /** How many workers, of any process, are there for this job. */
  workers(): Promise<number> {
    return this.#translated(this.#queue.getWorkersCount())
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  /** True when the schedule is there with this interval, and a run of it is to come or under way. */
  async #isScheduled(everyMs: number): Promise<boolean> {
    const { name } = this.#options.schedule
    const scheduler = await this.#queue.getJobScheduler(name)
    if (scheduler?.every !== everyMs || isTooLate(scheduler, everyMs)) {
      return false
    }
    // The run after the present one is made when the present one begins. Where that fails, nothing else makes it.
    const next = await this.#queue.getJob(`repeat:${name}:${scheduler.next}`)
    return next !== undefined && next.finishedOn === undefined
  }

  /** A schedule that has been written goes on from its next run, however late that is: it has to begin anew. */
  async #forgetTooLate(everyMs: number): Promise<void> {
    const { name } = this.#options.schedule
    const scheduler = await this.#queue.getJobScheduler(name)
    if (scheduler !== undefined && isTooLate(scheduler, everyMs)) {
      await this.#queue.removeJobScheduler(name)
    }
  }

  /** As many tries as come to an end before the next run: for a job every few seconds that run is the retry. */
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
    // Tried once: whoever triggered it hears of the failure and decides.
    await this.#queue.add(name, {}, { jobId, attempts: 1 })
    return jobId
  }

  /** Asks instead of listening: an event that is lost with Redis's memory would be waited for for ever. */
  async #outcome(jobId: string, follower: RunFollower): Promise<JobRun> {
    let patientUntilMs = performance.now() + outcomePatienceMs
    for (;;) {
      let job: Job | undefined | null
      try {
        job = await this.#queue.getJob(jobId)
        if (job !== undefined) {
          await follower.look(job)
        }
        patientUntilMs = performance.now() + outcomePatienceMs
      } catch (error) {
        if (this.#queue.closing || performance.now() > patientUntilMs) {
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

/** Whether the next run is later than it can be, unless the clock by which it was planned has been set back since. */
const isTooLate = ({ next }: { next?: number }, everyMs: number): boolean =>
  (next ?? 0) > Date.now() + everyMs + clockSlackMs

function toRun(job: Job): JobRun {
  const endedAtMs = job.finishedOn ?? Date.now()
  // A run that succeeded has a result; the words of an earlier try may still stand beside it.
  const succeeded = job.returnvalue !== null
  return {
    startedAt: new Date(job.processedOn ?? endedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    outcome: succeeded ? 'succeeded' : 'failed',
    result: succeeded ? job.returnvalue : null,
    error: succeeded ? null : reasonOf(job),
  }
}

/** BullMQ's words for a run that is begun no more. */
const reasonOf = ({ failedReason }: Job): string =>
  /^job (started|stalled) more than allowable limit$/.test(failedReason)
    ? 'every process that began it has died, or stood still, before its end'
    : failedReason
