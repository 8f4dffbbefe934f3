/** Prints the progress of a soak, and counts violations. */
export class SoakLog {
  readonly #startedAt = performance.now()
  readonly #countByKind = new Map<string, number>()
  #violations = 0

  /** Prints a line with the time since the start. */
  print(line: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(7)
    process.stdout.write(`${seconds}  ${line}\n`)
  }

  /** Counts the violation of a guarantee, and prints the first ones of each kind. */
  violation(kind: string, message: string): void {
    this.#violations += 1
    const count = (this.#countByKind.get(kind) ?? 0) + 1
    this.#countByKind.set(kind, count)
    if (count <= maxPrinted) {
      this.print(`WRONG    ${kind}: ${message}`)
    }
  }

  get violations(): number {
    return this.#violations
  }

  minutes(): number {
    return (performance.now() - this.#startedAt) / 60_000
  }
}

/** Further violations of a kind are only counted. */
const maxPrinted = 5
