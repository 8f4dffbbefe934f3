/** What a soak tells while it runs, and what it has found to be wrong. */
export class SoakLog {
  readonly #startedAt = performance.now()
  readonly #told = new Map<string, number>()
  #complaints = 0

  /** Prints a line with the time since the beginning. */
  tell(line: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(7)
    process.stdout.write(`${seconds}  ${line}\n`)
  }

  /** Notes something that must not be. The first of each kind are printed, all are counted. */
  complain(kind: string, words: string): void {
    this.#complaints += 1
    const times = (this.#told.get(kind) ?? 0) + 1
    this.#told.set(kind, times)
    if (times <= mostTold) {
      this.tell(`WRONG    ${kind}: ${words}`)
    }
  }

  get complaints(): number {
    return this.#complaints
  }

  minutes(): number {
    return (performance.now() - this.#startedAt) / 60_000
  }
}

const mostTold = 5
