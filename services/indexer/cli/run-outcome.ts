import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import type { JobResult } from '../job.js'
import type { ExitStatus } from './command-line.js'
import { figure, inWords } from './figures.js'
import type { ProgressDisplay } from './progress-display.js'

/** How many findings are told one by one. */
const mostFindings = 50

/** Counts of a result that mean: done, but not everything is as it should be. */
const faults = ['rejected', 'missing', 'extra', 'different']

/** The exit status of a run that ended with this result. */
export const statusOf = (result: JobResult): ExitStatus => (faultsIn(result) > 0 ? 1 : 0)

/** A result for people. */
export const resultInWords = (result: Record<string, unknown>): string =>
  inWords(Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null)))

/** Tells the first findings of a run as they come, and at its end how many more there are. */
export class FindingsDisplay {
  readonly #display: ProgressDisplay
  #heard = 0

  constructor(display: ProgressDisplay) {
    this.#display = display
  }

  readonly report = (finding: JobFinding): void => {
    this.#heard += 1
    if (this.#heard <= mostFindings) {
      this.#display.tell(describe(finding))
    }
  }

  end(result: JobResult): void {
    // Of a run in another process not all are heard, but all are counted.
    const more = Math.max(this.#heard, faultsIn(result)) - mostFindings
    if (more > 0) {
      this.#display.tell(`… and ${figure(more)} more`)
    }
  }
}

const faultsIn = (result: JobResult): number =>
  faults.reduce((sum, name) => sum + Math.max(0, Number(result[name] ?? 0)), 0)

const describe = ({ id, kind, reason }: JobFinding): string => {
  switch (kind) {
    case 'missing':
      return `${id}: in the catalog, but not in the index`
    case 'extra':
      return `${id}: in the index, but not published in the catalog`
    case 'different':
      return `${id}: in the index with other content`
    default:
      return `${id}: cannot be published as it is stored: ${reason}`
  }
}
