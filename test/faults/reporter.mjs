/** A Jest reporter that prints one line for each fault, as soon as it is known: shown, failed, or skipped with the reason. */
export default class FaultReporter {
  #counts = { shown: 0, failed: 0, skipped: 0 }

  onTestCaseResult(_test, result) {
    if (result.status === 'passed') {
      this.#print('shown', `${nameOf(result)} (${((result.duration ?? 0) / 1_000).toFixed(1)} s)`)
    } else if (result.status === 'failed') {
      this.#print('failed', [nameOf(result), ...result.failureMessages].join('\n'))
    }
  }

  onTestResult({ path }, { testExecError, testResults }) {
    if (testExecError) {
      this.#print('failed', `${path}: ${testExecError.message}`)
    }
    // Jest reports skipped tests only at the end of their file.
    for (const result of testResults.filter(({ status }) => status === 'pending')) {
      this.#print('skipped', nameOf(result))
    }
  }

  onRunComplete() {
    const { shown, failed, skipped } = this.#counts
    process.stdout.write(`\n${shown} shown, ${failed} failed, ${skipped} skipped\n`)
  }

  #print(outcome, text) {
    this.#counts[outcome] += 1
    process.stdout.write(`${outcome.padEnd(7)}  ${text}\n`)
  }
}

const nameOf = ({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › ')
