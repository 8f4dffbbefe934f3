import { once } from 'node:events'
import { WaitingError, Worker } from 'bullmq'
import type {
  JobRun,
  JobSchedule,
  JobScheduler,
  JobStatus,
  JobWatcher,
  RemoteJobs,
  RunScheduledJob,
} from '../../../ports/job-scheduler.js'
import { systemErrorCode } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import { orNull } from '../../../runtime/operations.js'
import { connectRedis, type RedisClient } from '../redis/connect.js'
import { BullmqJobQueue, maxAttempts, prefixFor, runInQueue } from './job-queue.js'

/** Timeout of a command of `trigger` and `status`. */
const commandTimeoutMs = 5_000

/** `attach` waits this long for the first connection, so that `start` can write the schedules; so do the workers. */
const firstConnectionMs = 2_000

/** How long a worker waits for the next run before it asks Redis again: the maximum that BullMQ allows. */
const drainSeconds = 10

/** A connection of a worker without an answer for this long is closed and opened again: longer than it waits for a run. */
const silenceMs = drainSeconds * 1_000 + commandTimeoutMs

/** A worker that could not store the end of a run, or get the next one, waits so long before it tries again. */
const retryMs = 1_000

/** Ages in seconds and numbers of finished runs that Redis keeps. */
const keptRuns = {
  removeOnComplete: { age: 86_400, count: 200 },
  removeOnFail: { age: 14 * 86_400, count: 2_000 },
}

export interface BullmqSchedulerOptions {
  /** See `parseRedisAddress`. Requires `maxmemory-policy noeviction`. */
  url: string
  log: Logger
  /** The beginning of all keys in Redis. Default: `prefixFor` the address. */
  prefix?: string
  /** Milliseconds between two checks that Redis has the schedules. Default 60,000. */
  ensureEveryMs?: number
  /** The wait before the first retry of a failed scheduled run. Default 5,000. */
  firstRetryMs?: number
  /** A process without a sign of life for this long loses its run to another one. Default 15,000. */
  lockMs?: number
}

/**
 * Runs jobs on schedules in Redis, for any number of processes together: one run of a job at a time among all.
 *
 * When Redis loses its memory or a process stalls, runs may overlap; runs that must never overlap need a lock too.
 */
export class BullmqScheduler implements JobScheduler, RemoteJobs {
  readonly #options: Required<BullmqSchedulerOptions>
  /** Fails instead of waiting, so that `trigger` and `status` return while Redis is unavailable. */
  readonly #commandConnection: RedisClient
  readonly #queues = new Map<string, BullmqJobQueue>()
  readonly #workers: Worker[] = []
  readonly #stopping = new AbortController()
  /** Waits for Redis without a timeout; null: this process runs no jobs. */
  #workerConnection: RedisClient | null = null
  #ensureTimer: NodeJS.Timeout | undefined
  #isUnavailable = false
  /** Why the command connection is not there. */
  #outage: Error | null = null

  constructor(options: BullmqSchedulerOptions) {
    const prefix = prefixFor(options.url)
    this.#options = { prefix, ensureEveryMs: 60_000, firstRetryMs: 5_000, lockMs: 15_000, ...options }
    this.#commandConnection = connectRedis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: commandTimeoutMs,
      socketTimeout: commandTimeoutMs,
      lazyConnect: true,
    })
    this.#commandConnection.on('error', (error: Error) => {
      this.#outage = error
      this.#logOutage(error)
    })
    this.#commandConnection.on('ready', () => {
      this.#outage = null
    })
    this.#commandConnection.on('close', () => this.#logOutage(new Error('the connection was closed')))
  }

  /**
   * Connects, so that jobs can be triggered and listed; runs none in this process. Never throws: while Redis is
   * unavailable, the client reconnects.
   */
  async attach(schedules: JobSchedule[]): Promise<void> {
    for (const schedule of schedules) {
      this.#queues.set(
        schedule.name,
        new BullmqJobQueue({
          ...this.#options,
          schedule,
          connection: this.#commandConnection,
          outage: () => this.#outage,
          onError: (error) => this.#logError(error),
        }),
      )
    }
    const ready = once(this.#commandConnection, 'ready', { signal: AbortSignal.timeout(firstConnectionMs) })
    this.#commandConnection.connect().catch(() => undefined)
    await ready.catch((error) => this.#logOutage(error))
  }

  async start(schedules: JobSchedule[], run: RunScheduledJob): Promise<void> {
    await this.attach(schedules)
    await this.#ensure()
    const { ensureEveryMs, url } = this.#options
    this.#commandConnection.on('ready', () => void this.#ensure())
    this.#ensureTimer = setInterval(() => void this.#ensure(), ensureEveryMs)
    const working = connectRedis(url, { maxRetriesPerRequest: null, socketTimeout: silenceMs })
    this.#workerConnection = working
    this.#workers.push(...schedules.map(({ name }) => this.#openWorker(name, working, run)))
    // So that a command that follows the start of an indexer finds it connected.
    await orNull(Promise.all(this.#workers.map((worker) => worker.waitUntilReady())), firstConnectionMs)
  }

  async trigger(name: string, watcher?: Partial<JobWatcher>): Promise<JobRun> {
    return this.#queueOf(name).trigger(watcher)
  }

  async request(name: string, afterSeconds?: number): Promise<void> {
    await this.#queueOf(name).request(afterSeconds)
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
    // Closed first, so that no run starts after an aborted one; this waits until the outcomes of the runs are in Redis.
    const closed = Promise.allSettled(this.#workers.map((worker) => worker.close()))
    this.#stopping.abort(new Error('stopped because the service ends; the next run continues'))
    await orNull(closed, graceMs)
    await Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()))
    this.#workerConnection?.disconnect()
    this.#commandConnection.disconnect()
  }

  #queueOf(name: string): BullmqJobQueue {
    const queue = this.#queues.get(name)
    if (queue === undefined) {
      throw new Error(`there is no job ${name}`)
    }
    return queue
  }

  #openWorker(name: string, connection: RedisClient, run: RunScheduledJob): Worker {
    const { prefix, lockMs } = this.#options
    const worker = new Worker(
      name,
      async (job, token, signal) => {
        const stopping = this.#stopping.signal
        try {
          return await runInQueue(job, run, signal === undefined ? stopping : AbortSignal.any([signal, stopping]))
        } catch (error) {
          if (!stopping.aborted) {
            throw error
          }
          // Another process, or the next one, does the run; its followers wait for that.
          await job.moveToWait(token)
          throw new WaitingError()
        }
      },
      {
        ...keptRuns,
        connection,
        prefix,
        drainDelay: drainSeconds,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        runRetryDelay: retryMs,
        // Without a limit BullMQ would restart a run for ever whose process dies each time.
        maxStartedAttempts: maxAttempts + 2,
      },
    )
    worker.on('error', (error) => this.#logError(error))
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) {
        worker.cancelJob(id, 'stopped because its lock was lost: another process may run it')
      }
    })
    return worker
  }

  /** Writes the schedules to Redis; errors are retried after the interval, or when the connection is ready. */
  #ensure(): Promise<void> {
    return Promise.all([...this.#queues.values()].map((queue) => queue.ensure())).then(
      () => this.#logRecovery(),
      (error) => (isConnectionError(error) ? this.#logOutage(error) : this.#logError(error)),
    )
  }

  /**
   * Logs errors of queues and workers. An outage is logged once, by the command connection: all other connections report
   * it too, at different times. A Redis that is full, cannot write or permits too little is logged once as well: every
   * command reports it, thousands in a minute.
   */
  #logError(error: unknown): void {
    const [code] = refusals.exec(String(error)) ?? []
    if (code !== undefined) {
      this.#logOutage(error, code === 'OOM' ? 'jobs wait: Redis is full' : 'jobs wait: Redis refuses a command')
    } else if (!isConnectionError(error) && !this.#stopping.signal.aborted) {
      this.#options.log.warn({ err: error }, 'a job queue reported an error')
    }
  }

  #logOutage(error: unknown, message = 'jobs wait: Redis does not answer'): void {
    if (!this.#isUnavailable && !this.#stopping.signal.aborted) {
      this.#isUnavailable = true
      this.#options.log.warn({ err: error }, message)
    }
  }

  #logRecovery(): void {
    if (this.#isUnavailable) {
      this.#isUnavailable = false
      this.#options.log.info('jobs continue: Redis answers again')
    }
  }
}

/** Redis's codes for commands that it refuses for its state or the rights of the user; BullMQ wraps some in a text. */
const refusals = /\b(?:OOM|MISCONF|NOREPLICAS|READONLY|NOPERM|NOAUTH)\b/

/** Whether a connection was refused or closed, a command timed out, or what answers is no Redis. */
function isConnectionError(error: unknown): boolean {
  // Compared as text: system errors may come from another realm.
  const text = String(error)
  return (
    systemErrorCode(error) !== null ||
    /Connection is closed|timed? ?out|writeable|RESP type|max retries per request|sentinels are unreachable|luster|startup nodes/.test(
      text,
    )
  )
}
