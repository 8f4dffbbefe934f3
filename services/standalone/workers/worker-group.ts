import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricObject } from 'prom-client'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { type Handlers, ProcessCalls } from './process-calls.js'

/** A worker that ends is started again after this time, and after twice as long each time that the next one ends early. */
const restartMs = 1_000
const maxRestartMs = 30_000

/** A worker that has lived for so long did not end early. */
const earlyMs = 60_000

const metricsTimeoutMs = 2_000

export interface WorkerGroupOptions {
  /** Number of workers. */
  size: number
  log: Logger
  /** What workers may call. */
  handlers: Handlers
  /** Aborted when this process is asked to end: no worker is started any more. */
  signal: AbortSignal
}

/** The worker processes of this one, which answer requests on the same port. Each that ends is started again. */
export class WorkerGroup {
  readonly #options: WorkerGroupOptions
  readonly #workers = new Map<Worker, ProcessCalls>()
  readonly #restarts = new AbortController()
  #delayMs = restartMs
  #url = ''
  #isReady = false

  private constructor(options: WorkerGroupOptions) {
    this.#options = options
  }

  /**
   * Starts the workers, the first one alone: what prevents one prevents all of them.
   *
   * @throws AppError `worker_not_started` when it ends before it answers; it has printed the reason
   */
  static async start(options: WorkerGroupOptions): Promise<WorkerGroup> {
    const group = new WorkerGroup(options)
    await group.#startFirst(group.#fork())
    await Promise.all(Array.from({ length: options.size - 1 }, () => group.#startFirst(group.#fork())))
    group.#isReady = true
    return group
  }

  /** The URL on which they answer. */
  get url(): string {
    return this.#url
  }

  /** The metrics of each worker that answers. */
  async metrics(): Promise<MetricObject[][]> {
    const answers = [...this.#workers.values()].map((calls) =>
      calls.call<MetricObject[]>('metrics', [], metricsTimeoutMs).catch(() => []),
    )
    return Promise.all(answers)
  }

  /** Asks the workers to finish their requests and to end; those that have not ended by then are killed. */
  async close(deadlineMs: number): Promise<void> {
    this.#restarts.abort()
    const deadline = AbortSignal.timeout(deadlineMs)
    await Promise.all(
      [...this.#workers].map(async ([worker, calls]) => {
        void calls.call('close', [], deadlineMs).catch(() => undefined)
        await once(worker, 'exit', { signal: deadline }).catch(() => worker.process.kill('SIGKILL'))
      }),
    )
  }

  #fork(): Worker {
    const worker = cluster.fork()
    const startedMs = performance.now()
    let answered = false
    const started = (url: string) => {
      answered = true
      this.#url = url
      worker.emit('started')
    }
    this.#workers.set(worker, new ProcessCalls(worker, { ...this.#options.handlers, started }))
    worker.once('exit', (status: number | null, signal: string | null) => {
      this.#workers.delete(worker)
      if (answered || this.#isReady) {
        void this.#restart({ worker: worker.id, status, signal, early: performance.now() - startedMs < earlyMs })
      }
    })
    return worker
  }

  async #startFirst(worker: Worker): Promise<void> {
    const { signal } = this.#options
    const ended = once(worker, 'exit').then(() => 'ended')
    if ((await Promise.race([once(worker, 'started', { signal }), ended])) === 'ended') {
      signal.throwIfAborted()
      throw operatorError('worker_not_started', 'A worker process ended before it answered; see its message above.')
    }
  }

  async #restart({
    early,
    ...ended
  }: {
    worker: number
    early: boolean
    status: number | null
    signal: string | null
  }) {
    const stopped = AbortSignal.any([this.#restarts.signal, this.#options.signal])
    if (stopped.aborted) {
      return
    }
    this.#delayMs = early ? Math.min(this.#delayMs * 2, maxRestartMs) : restartMs
    this.#options.log.error({ ...ended, restartMs: this.#delayMs }, 'a worker process ended: it is started again')
    await sleep(this.#delayMs, undefined, { signal: stopped }).then(
      () => void this.#fork(),
      () => undefined,
    )
  }
}
