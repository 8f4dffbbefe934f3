import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricObject } from 'prom-client'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { Connections } from './connections.js'
import { type Handlers, ProcessCalls } from './process-calls.js'

/**
 * A worker that ends is started again at once, but for those beyond so many within a minute: after this time, and after
 * twice as long each time.
 */
const restartsAtOnce = 3
const restartMs = 1_000
const maxRestartMs = 30_000
const minuteMs = 60_000

const metricsTimeoutMs = 2_000

export interface WorkerGroupOptions {
  host: string
  /** 0: one that is free. */
  port: number
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
  readonly #connections: Connections
  /** When workers have ended within the last minute. */
  #endsMs: number[] = []
  #isReady = false

  private constructor(options: WorkerGroupOptions, connections: Connections) {
    this.#options = options
    this.#connections = connections
  }

  /**
   * Listens, and starts the workers, the first one alone: what prevents one prevents all of them.
   *
   * @throws AppError `port_in_use`, `cannot_listen`; `worker_not_started` when a worker ends before it answers: it has
   *   printed the reason
   */
  static async start(options: WorkerGroupOptions): Promise<WorkerGroup> {
    const connections = await Connections.open(options.host, options.port)
    const group = new WorkerGroup(options, connections)
    try {
      await group.#startFirst()
    } catch (error) {
      connections.close()
      throw error
    }
    group.#isReady = true
    const others = Array.from({ length: options.size - 1 }, () => group.#fork())
    await Promise.all(others.map((worker) => Promise.race([once(worker, 'started'), once(worker, 'exit')])))
    return group
  }

  /** The URL on which they answer. */
  get url(): string {
    return this.#connections.url
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
    this.#connections.close()
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
    let answered = false
    const started = () => {
      answered = true
      this.#connections.add(worker)
      worker.emit('started')
    }
    this.#workers.set(worker, new ProcessCalls(worker, { ...this.#options.handlers, started }))
    worker.once('exit', (status: number | null, signal: string | null) => {
      this.#workers.delete(worker)
      if (answered || this.#isReady) {
        void this.#restart({ worker: worker.id, status, signal })
      }
    })
    return worker
  }

  async #startFirst(): Promise<void> {
    const { signal } = this.#options
    const worker = this.#fork()
    const ended = once(worker, 'exit').then(() => 'ended')
    if ((await Promise.race([once(worker, 'started', { signal }), ended])) === 'ended') {
      signal.throwIfAborted()
      throw operatorError('worker_not_started', 'A worker process ended before it answered; see its message above.')
    }
  }

  async #restart(ended: { worker: number; status: number | null; signal: string | null }) {
    const stopped = AbortSignal.any([this.#restarts.signal, this.#options.signal])
    if (stopped.aborted) {
      return
    }
    const nowMs = performance.now()
    this.#endsMs = [...this.#endsMs.filter((endMs) => nowMs - endMs < minuteMs), nowMs]
    const tooMany = this.#endsMs.length - restartsAtOnce
    const delayMs = tooMany <= 0 ? 0 : Math.min(restartMs * 2 ** (tooMany - 1), maxRestartMs)
    this.#options.log.error({ ...ended, restartMs: delayMs }, 'a worker process ended: it is started again')
    await sleep(delayMs, undefined, { signal: stopped }).then(
      () => void this.#fork(),
      () => undefined,
    )
  }
}
