/** Requests that are answered in one turn of the event loop, at most. */
const perTurn = 20

/**
 * Lets the event loop turn while many requests arrive. All that have arrived would else be answered in one turn, most of
 * them with a refusal; that takes so long that the threads and servers that were asked for the others are idle meanwhile.
 */
export class RequestPace {
  readonly #waiting: (() => void)[] = []
  #begun = 0
  #isTurning = false

  /** Resolves when a request may be answered; null: at once. */
  turn(): Promise<void> | null {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(this.#next)
    }
    if (this.#begun < perTurn) {
      this.#begun += 1
      return null
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  readonly #next = (): void => {
    const next = this.#waiting.splice(0, perTurn)
    this.#begun = next.length
    this.#isTurning = next.length > 0
    if (this.#isTurning) {
      setImmediate(this.#next)
    }
    for (const begin of next) {
      begin()
    }
  }
}
