/** What a queue may be told. */
export interface FairQueueOptions {
  /** How many calls go on at the same time. */
  workers: number
  /** Calls beyond this many are refused. */
  maxWaiting: number
  /** Who has waited so long, in milliseconds, is no longer there: the call is not made. */
  patienceMs: number
}

/** A call that waits for a worker. */
interface Waiting {
  sinceMs: number
  begin(): void
  giveUp(error: Error): void
}

/**
 * Calls of many clients for few workers. The clients take turns, whichever of them has asked for most: one that asks for
 * much at once waits for itself, and another one only for the calls under way.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** By client, the one first whose turn it is. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0
  #idle: number

  constructor(options: FairQueueOptions) {
    this.#options = options
    this.#idle = options.workers
  }

  /** Makes a call when it is this client's turn. @throws Error when it is not made, else what it threw */
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
      throw new Error(`${this.#count} calls are waiting already`)
    }
    return new Promise((begin, giveUp) => {
      this.#count += 1
      const waiting = { sinceMs: performance.now(), begin, giveUp }
      const others = this.#waiting.get(client)
      if (others === undefined) {
        this.#waiting.set(client, [waiting])
      } else {
        others.push(waiting)
      }
    })
  }

  /** Has the worker that has become idle begin with the next call. */
  #next(): void {
    for (const [client, calls] of this.#waiting) {
      const [next, ...rest] = calls.filter((call) => this.#isThere(call))
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

  #isThere({ sinceMs, giveUp }: Waiting): boolean {
    const waitedMs = performance.now() - sinceMs
    if (waitedMs > this.#options.patienceMs) {
      giveUp(new Error(`not begun within ${Math.round(waitedMs)} ms`))
      return false
    }
    return true
  }
}
