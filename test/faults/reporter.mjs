/** A Jest reporter that prints one line for each fault, as soon as it is known: shown, failed, or skipped and why. */
export default class FaultReporter {
  #counts = { shown: 0, failed: 0, skipped: 0 }

  onTestCaseResult(_test, result) {
    if (result.status === 'passed') {
      this.#tell('shown', `${nameOf(result)} (${((result.duration ?? 0) / 1_000).toFixed(1)} s)`)
    } else if (result.status === 'failed') {
      this.#tell('failed', [nameOf(result), ...result.failureMessages].join('\n'))
    }
  }

  onTestResult({ path }, { testExecError, testResults }) {
    if (testExecError) {
      this.#tell('failed', `${path}: ${testExecError.message}`)
    }
    // Of a test that is skipped nothing is told before the end of its file.
    for (const result of testResults.filter(({ status }) => status === 'pending')) {
      this.#tell('skipped', nameOf(result))
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

const nameOf = ({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › ')
