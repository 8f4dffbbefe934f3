/** A Jest reporter that prints one line for each fault: shown, failed, or skipped and why. */
export default class FaultReporter {
  #counts = { shown: 0, failed: 0, skipped: 0 }

  onTestResult(_test, { testResults, testExecError }) {
    if (testExecError) {
      this.#tell('failed', `a file that could not be run: ${testExecError.message}`)
    }
    for (const { title, ancestorTitles, status, duration, failureMessages } of testResults) {
      const name = [...ancestorTitles, title].join(' › ')
      if (status === 'passed') {
        this.#tell('shown', `${name} (${((duration ?? 0) / 1_000).toFixed(1)} s)`)
      } else if (status === 'failed') {
        this.#tell('failed', [name, ...failureMessages].join('\n'))
      } else {
        this.#tell('skipped', name)
      }
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
