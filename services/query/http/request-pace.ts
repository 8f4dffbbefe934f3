import { overloaded } from '../../../shared/runtime/errors.js'

/** Requests that begin in one turn of the event loop, at most. */
const perTurn = 20

/** To refuse a request before anything was done for it takes this part of the time of one that begins. */
const refusalShare = 0.25

export interface RequestPaceOptions {
  /** A request that has waited for longer is refused. Milliseconds, default 2,000. */
  maxWaitMs?: number
  /** Milliseconds of a clock that only moves forward; `performance.now` by default. */
  clock?: () => number
}

interface WaitingRequest {
  sinceMs: number
  begin: () => void
  refuse: (error: Error) => void
}

/**
 * Lets the event loop turn while many requests arrive. All that have arrived would else be answered in one turn, most of
 * them with a refusal; that takes so long that the threads and servers that were asked for the others are idle meanwhile.
 */
export class RequestPace {
  readonly #maxWaitMs: number
  readonly #clock: () => number
  readonly #waiting: WaitingRequest[] = []
  #begun = 0
  #isTurning = false

  constructor({ maxWaitMs = 2_000, clock = () => performance.now() }: RequestPaceOptions = {}) {
    this.#maxWaitMs = maxWaitMs
    this.#clock = clock
  }

  /**
   * Resolves when a request may be answered; null: at once.
   *
   * @throws AppError `overloaded` (503) when the processor has too much to do to begin with it in time
   */
  turn(): Promise<void> | null {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(this.#next)
    }
    if (this.#begun < perTurn) {
      this.#begun += 1
      return null
    }
    return new Promise((begin, refuse) => this.#waiting.push({ sinceMs: this.#clock(), begin, refuse }))
  }

  readonly #next = (): void => {
    const latestMs = this.#clock() - this.#maxWaitMs
    this.#begun = 0
    while (this.#begun < perTurn) {
      const first = this.#waiting.shift()
      if (first === undefined) {
        break
      }
      const isLate = first.sinceMs < latestMs
      this.#begun += isLate ? refusalShare : 1
      if (isLate) {
        first.refuse(overloaded(1))
      } else {
        first.begin()
      }
    }
    this.#isTurning = this.#begun > 0
    if (this.#isTurning) {
      setImmediate(this.#next)
    }
  }
}
