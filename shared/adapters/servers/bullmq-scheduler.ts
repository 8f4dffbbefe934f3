import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WaitingError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Logger } from '../../log.js'
import type {
  JobRun,
  JobSchedule,
  JobScheduler,
  JobStatus,
  JobWatcher,
  RemoteJobs,
  RunScheduledJob,
} from '../../ports/job-scheduler.js'
import { systemErrorCode } from '../../system-error.js'
import { BullmqJobQueue, maxAttempts } from './bullmq-job-queue.js'
import { runInQueue } from './bullmq-run.js'

/** A command that takes longer than this has failed: nobody waits for a Redis that hangs. */
const commandTimeoutMs = 5_000

/** How long starting waits for the first connection, so that schedules stand when it returns. */
const firstConnectionMs = 2_000

/** How long closing may take when the grace is over and nothing is waited for. */
const forcedCloseMs = 1_000

/** Finished runs are kept this long, and so many of them. */
const keptRuns = {
  removeOnComplete: { age: 86_400, count: 200 },
  removeOnFail: { age: 14 * 86_400, count: 2_000 },
}

export interface BullmqSchedulerOptions {
  /** For instance `redis://127.0.0.1:6379/0`. That Redis must not evict: `maxmemory-policy noeviction`. */
  url: string
  log: Logger
  /** Begins the name of every key in Redis. Default `catalog-jobs`. */
  prefix?: string
  /** How often schedules are written anew where Redis has lost them. Default 60,000. */
  ensureEveryMs?: number
  /** The wait before the first retry of a failed scheduled run. Default 5,000. */
  firstRetryMs?: number
  /** A process that says nothing for this long has lost its run, and another one does it. Default 15,000. */
  lockMs?: number
}

/**
 * Runs jobs on schedules that Redis keeps, for any number of processes together: one run of a job at a time among all.
 *
 * That holds as long as Redis has its memory and processes are not stalled; runs that must never overlap need a lock
 * beside it.
 */
export class BullmqScheduler implements JobScheduler, RemoteJobs {
  readonly #options: Required<BullmqSchedulerOptions>
  /** Fails instead of waiting, so that `trigger` and `status` answer when Redis is away. */
  readonly #asking: Redis
  readonly #queues = new Map<string, BullmqJobQueue>()
  readonly #workers: Worker[] = []
  /** The runs under way in this process. */
  readonly #running = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()
  /** Waits for Redis as long as it takes; null: nothing is run in this process. */
  #working: Redis | null = null
  #ensureTimer: NodeJS.Timeout | undefined
  #ensuring: Promise<void> | null = null
  #away = false

  constructor(options: BullmqSchedulerOptions) {
    this.#options = { prefix: 'catalog-jobs', ensureEveryMs: 60_000, firstRetryMs: 5_000, lockMs: 15_000, ...options }
    this.#asking = new Redis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: commandTimeoutMs,
      lazyConnect: true,
    })
    this.#asking.on('error', (error) => this.#goAway(error))
    this.#asking.on('close', () => this.#goAway(new Error('the connection was closed')))
  }

  /**
   * Makes the jobs known and connects, so that they can be triggered and asked for; runs nothing in this process.
   * Never throws: a Redis that is not up yet is waited for.
   */
  async attach(schedules: JobSchedule[]): Promise<void> {
    for (const schedule of schedules) {
      const { prefix, firstRetryMs } = this.#options
      const onError = (error: unknown) => this.#hear(error)
      this.#queues.set(
        schedule.name,
        new BullmqJobQueue({ schedule, connection: this.#asking, prefix, firstRetryMs, onError }),
      )
    }
    const ready = once(this.#asking, 'ready', { signal: AbortSignal.timeout(firstConnectionMs) })
    this.#asking.connect().catch(() => undefined)
    await ready.catch((error) => this.#goAway(error))
  }

  async start(schedules: JobSchedule[], run: RunScheduledJob): Promise<void> {
    await this.attach(schedules)
    await this.#ensure(true)
    const { ensureEveryMs, url } = this.#options
    this.#asking.on('ready', () => void this.#ensure(false))
    this.#ensureTimer = setInterval(() => void this.#ensure(false), ensureEveryMs)
    const working = new Redis(url, { maxRetriesPerRequest: null })
    this.#working = working
    this.#workers.push(...schedules.map(({ name }) => this.#openWorker(name, working, run)))
  }

  async trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun> {
    const queue = this.#queues.get(name)
    if (queue === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    return queue.trigger(watcher)
  }

  status(): Promise<JobStatus[]> {
    return Promise.all([...this.#queues.values()].map((queue) => queue.status()))
  }

  async connected(): Promise<number> {
    const workers = await Promise.all([...this.#queues.values()].map((queue) => queue.workers()))
    // Each process has a worker for every job that it knows.
    return Math.max(0, ...workers)
  }

  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#ensureTimer)
    // Ends the intake at once; so that a run that listens to the signal is not followed by the next.
    const paused = this.#workers.map((worker) => worker.pause(true))
    this.#stopping.abort(new Error('stopped because the service ends; the next run goes on from there'))
    const ended = Promise.allSettled([...paused, ...this.#running])
    // Closing waits until Redis knows how the runs have ended.
    if (
      !(await within(
        graceMs,
        ended.then(() => this.#closeWorkers(false)),
      ))
    ) {
      await within(forcedCloseMs, this.#closeWorkers(true))
    }
    await Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()))
    this.#working?.disconnect()
    this.#asking.disconnect()
  }

  async #closeWorkers(force: boolean): Promise<void> {
    await Promise.allSettled(this.#workers.map((worker) => worker.close(force)))
  }

  #openWorker(name: string, connection: Redis, run: RunScheduledJob): Worker {
    const { prefix, lockMs } = this.#options
    const worker = new Worker(
      name,
      async (job, token, signal) => {
        const stopping = this.#stopping.signal
        const running = runInQueue(job, run, signal === undefined ? stopping : AbortSignal.any([signal, stopping]))
        this.#running.add(running)
        try {
          return await running
        } catch (error) {
          if (!stopping.aborted) {
            throw error
          }
          // Another process does it, or the next one that starts: who waits for it need not know.
          await job.moveToWait(token)
          throw new WaitingError()
        } finally {
          this.#running.delete(running)
        }
      },
      {
        ...keptRuns,
        connection,
        prefix,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        // A run whose process dies is begun again without end by BullMQ, since it does not count as failed.
        maxStartedAttempts: maxAttempts + 2,
      },
    )
    worker.on('error', (error) => this.#hear(error))
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) {
        worker.cancelJob(id, 'stopped because its lock was lost: another process may run it')
      }
    })
    return worker
  }

  /** Writes what Redis does not know; what fails is tried again at the next turn, or when the connection is back. */
  #ensure(anew: boolean): Promise<void> {
    this.#ensuring ??= Promise.all([...this.#queues.values()].map((queue) => queue.ensure(anew)))
      .then(
        () => this.#comeBack(),
        (error) => (isConnectionFault(error) ? this.#goAway(error) : this.#hear(error)),
      )
      .finally(() => {
        this.#ensuring = null
      })
    return this.#ensuring
  }

  /**
   * What goes wrong in a queue is told each time. That Redis is away is for the connection that asks to tell, once: the
   * others notice it sooner or later than that one, and each for itself. That it is full each queue finds out anew with
   * every try, and is told once as well.
   */
  #hear(error: unknown): void {
    if (String(error).includes('OOM command not allowed')) {
      this.#goAway(error, 'jobs wait: Redis is full')
    } else if (!isConnectionFault(error) && !this.#stopping.signal.aborted) {
      this.#options.log.warn({ err: error }, 'a job queue told of an error')
    }
  }

  #goAway(error: unknown, words = 'jobs wait: Redis does not answer'): void {
    if (!this.#away && !this.#stopping.signal.aborted) {
      this.#away = true
      this.#options.log.warn({ err: error }, words)
    }
  }

  #comeBack(): void {
    if (this.#away) {
      this.#away = false
      this.#options.log.info('jobs go on: Redis answers again')
    }
  }
}

/** A connection that could not be made, broke, or brought no answer in time. */
function isConnectionFault(error: unknown): boolean {
  // As text, since system errors may come from another realm than ours.
  const words = String(error)
  return (
    systemErrorCode(error) !== null || /Connection is closed|timed out|writeable|max retries per request/.test(words)
  )
}

/** True when it has ended within that time, well or not. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const timeUp = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    timeUp,
  ])
  timer.abort()
  return inTime
}
