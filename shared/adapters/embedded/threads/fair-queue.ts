/** Options of a queue. */
export interface FairQueueOptions {
  /** Number of calls that run at the same time. */
  workers: number
  /** Further calls are refused. */
  maxWaiting: number
  /** Milliseconds after which a waiting call is dropped, since its client no longer waits. */
  timeoutMs: number
}

/** A call that waits for a worker. */
interface Waiting {
  sinceMs: number
  begin(): void
  reject(error: Error): void
}

/**
 * Distributes the calls of many clients over a few workers. Clients take turns, however many calls each has waiting: a
 * busy client waits for its own calls, and another one only for the calls that are running.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** Waiting calls by client, the client whose turn it is first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0
  #idle: number

  constructor(options: FairQueueOptions) {
    this.#options = options
    this.#idle = options.workers
  }

  /** Makes a call when it is this client's turn. @throws Error when it is refused or dropped, else as the call does */
  async run<T>(client: string, call: () => Promise<T>): Promise<T> {
    if (this.#idle > 0) {
      this.#idle -= 1
    } else {
      await this.#turn(client)
    }
    try {
      return await call()
    } finally {
      this.#next()
    }
  }

  #turn(client: string): Promise<void> {
    if (this.#count >= this.#options.maxWaiting) {
      throw new Error('the queue is full')
    }
    return new Promise((begin, reject) => {
      this.#count += 1
      const waiting = { sinceMs: performance.now(), begin, reject }
      const others = this.#waiting.get(client)
      if (others === undefined) {
        this.#waiting.set(client, [waiting])
      } else {
        others.push(waiting)
      }
    })
  }

  /** Starts the next call on an idle worker. */
  #next(): void {
    for (const [client, calls] of this.#waiting) {
      const [next, ...rest] = calls.filter((call) => this.#isWaiting(call))
      this.#count -= calls.length - rest.length
      this.#waiting.delete(client)
      if (rest.length > 0) {
        this.#waiting.set(client, rest)
      }
      if (next !== undefined) {
        next.begin()
        return
      }
    }
    this.#idle += 1
  }

  #isWaiting({ sinceMs, reject }: Waiting): boolean {
    const waitedMs = performance.now() - sinceMs
    if (waitedMs > this.#options.timeoutMs) {
      reject(new Error(`not started within ${Math.round(waitedMs)} ms`))
      return false
    }
    return true
  }
}
