import type { JobFinding } from '../../../../shared/ports/job-scheduler.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { JobResult } from '../../runner/job.js'
import type { ExitStatus } from '../command-line.js'
import type { ProgressDisplay } from './progress-display.js'

/** Further findings are only counted. */
const maxFindings = 50

/** The counts of a result that make the exit status 1. */
const faultFields = ['rejected', 'missing', 'extra', 'different']

/** Servers of the search index at which a run did not do its work. */
const missedFields = ['unavailable', 'waiting']

/** The exit status for a job's result. */
export const statusOf = (result: JobResult): ExitStatus =>
  faultsIn(result) > 0 || missedFields.some((name) => typeof result[name] === 'string') ? 1 : 0

/** Prints the first findings of a run as they are made, and the number of further ones at its end. */
export class FindingsDisplay {
  readonly #display: ProgressDisplay
  #count = 0

  constructor(display: ProgressDisplay) {
    this.#display = display
  }

  readonly report = (finding: JobFinding): void => {
    this.#count += 1
    if (this.#count <= maxFindings) {
      this.#display.report(describe(finding))
    }
  }

  end(result: JobResult): void {
    // A run in another process sends only its first findings; its result counts all of them.
    const more = Math.max(this.#count, faultsIn(result)) - maxFindings
    if (more > 0) {
      this.#display.report(`… and ${formatNumber(more)} more`)
    }
  }
}

const faultsIn = (result: JobResult): number =>
  faultFields.reduce((sum, name) => sum + Math.max(0, Number(result[name] ?? 0)), 0)

const describe = ({ id, kind, reason }: JobFinding): string => {
  const index = reason === null ? 'the index' : `the index at ${reason}`
  switch (kind) {
    case 'missing':
      return `${id}: in the catalog, but not in ${index}`
    case 'extra':
      return `${id}: in ${index}, but not published in the catalog`
    case 'different':
      return `${id}: in ${index} with different content`
    default:
      return `${id}: cannot be published as it is stored: ${reason}`
  }
}
