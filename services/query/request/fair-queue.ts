import { overloaded } from '../../../shared/runtime/errors.js'

/** Options of a queue. */
export interface FairQueueOptions {
  /** Number of calls that run at the same time; infinity: none waits. */
  atOnce: number
  /** Further calls are refused, however short the calls are. Default 2,000. */
  maxWaiting?: number
  /**
   * A call that has to wait, and would end later than this, is refused at once; one that waits for twice as long all the
   * same, since calls have become slower, is refused then. Milliseconds, default 1,000.
   */
  maxWaitMs?: number
}

/** The weight of the latest call in the mean duration: the last 20 or so count. */
const latestWeight = 0.05

/**
 * Limits the calls that run at the same time. Clients take turns, however many calls each has waiting: a busy client waits
 * for its own calls, and another one only for the calls that are running.
 *
 * A call that would have to wait for too long is refused before any work is done for it. So under more load than a store
 * can bear, the calls that are admitted are answered in time, and the queue is empty soon after the load ends.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>
  /** What begins each waiting call, by client, the client whose turn it is first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #count = 0
  /** How many more may run now. */
  #free: number
  /** How long a call lately took; it begins with 0, since the first calls take longer than those that follow. */
  #meanMs = 0

  constructor(options: FairQueueOptions) {
    this.#options = { maxWaiting: 2_000, maxWaitMs: 1_000, ...options }
    this.#free = options.atOnce
  }

  /**
   * Makes a call when it is its client's turn.
   *
   * @param client its key, see `clientKey`; undefined: the call is the service's own, such as a health check, and never waits
   * @throws AppError `overloaded` (503) when its turn would come, or has come, too late; else as the call
   */
  async run<T>(client: string | undefined, call: () => Promise<T>): Promise<T> {
    if (client === undefined) {
      return call()
    }
    if (this.#free > 0) {
      this.#free -= 1
    } else {
      await this.#turn(client)
    }
    const startedMs = performance.now()
    try {
      return await call()
    } finally {
      this.#meanMs += (performance.now() - startedMs - this.#meanMs) * latestWeight
      this.#next()
    }
  }

  #turn(client: string): Promise<void> {
    const calls = this.#waiting.get(client) ?? new Set()
    const waitMs = this.#expectedMs(calls.size, this.#waiting.size + (calls.size === 0 ? 1 : 0))
    if (this.#count >= this.#options.maxWaiting || waitMs > this.#options.maxWaitMs) {
      throw overloaded(Math.max(1, Math.ceil(waitMs / 1_000)))
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(late)
        resolve()
      }
      const late = setTimeout(() => {
        this.#remove(client, calls, begin)
        reject(overloaded(Math.max(1, Math.ceil(this.#expectedMs(0, this.#waiting.size) / 1_000))))
      }, 2 * this.#options.maxWaitMs)
      this.#waiting.set(client, calls.add(begin))
      this.#count += 1
    })
  }

  /** When the next call of a client would end: each of its calls lets one call of every other client go first. */
  #expectedMs(ownWaiting: number, clients: number): number {
    const callsBefore = Math.min(this.#count, (ownWaiting + 1) * clients)
    return (callsBefore / this.#options.atOnce + 1) * this.#meanMs
  }

  /** Starts the next call in the place of one that has ended. */
  #next(): void {
    for (const [client, calls] of this.#waiting) {
      for (const begin of calls) {
        this.#remove(client, calls, begin)
        if (calls.size > 0) {
          this.#waiting.delete(client)
          this.#waiting.set(client, calls)
        }
        begin()
        return
      }
    }
    this.#free += 1
  }

  #remove(client: string, calls: Set<() => void>, begin: () => void): void {
    calls.delete(begin)
    this.#count -= 1
    if (calls.size === 0) {
      this.#waiting.delete(client)
    }
  }
}
