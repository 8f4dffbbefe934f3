/** A Jest reporter that prints one line for each fault, as soon as it is known: shown, failed, or skipped and why. */
export default class FaultReporter {
  #counts = { shown: 0, failed: 0, skipped: 0 }

  onTestCaseResult(_test, { title, ancestorTitles, status, duration, failureMessages }) {
    const name = [...ancestorTitles, title].join(' › ')
    if (status === 'passed') {
      this.#tell('shown', `${name} (${((duration ?? 0) / 1_000).toFixed(1)} s)`)
    } else if (status === 'failed') {
      this.#tell('failed', [name, ...failureMessages].join('\n'))
    } else {
      this.#tell('skipped', name)
    }
  }

  onTestResult({ path }, { testExecError }) {
    if (testExecError) {
      this.#tell('failed', `${path}: ${testExecError.message}`)
    }
  }

  onRunComplete() {
    const { shown, failed, skipped } = this.#counts
    process.stdout.write(`\n${shown} shown, ${failed} failed, ${skipped} skipped\n`)
  }

  #tell(outcome, text) {
    this.#counts[outcome] += 1
    process.stdout.write(`${outcome.padEnd(7)}  ${text}\n`)
  }
}
