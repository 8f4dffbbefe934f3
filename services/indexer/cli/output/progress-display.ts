import { MultiBar } from 'cli-progress'
import type { JobFinding, JobWatcher } from '../../../../shared/ports/job-scheduler.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import { printableLine } from '../../../../shared/text/printable.js'
import type { Job } from '../../runner/job.js'
import type { CommandLine, CommonOptions } from '../command-line.js'

/** Shows the progress and messages of a running command. */
export interface ProgressDisplay {
  /**
   * @param total null when unknown
   * @param note text next to the bar, for instance `1,200 records`
   */
  update(done: number, total: number | null, note: string): void
  /** Prints a line to standard error, above the bar. */
  report(line: string): void
  /** Removes the bar. */
  stop(): void
}

/** A progress bar with lines above it; without a terminal, or with --json, only the lines. */
export function openProgress(cli: CommandLine, options: CommonOptions): ProgressDisplay {
  const { stderr } = cli
  if (stderr.isTTY !== true || options.json) {
    return {
      update: () => undefined,
      report: (line) => {
        stderr.write(`${printableLine(line)}\n`)
      },
      stop: () => undefined,
    }
  }
  const bars = new MultiBar({
    stream: stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: (_options, { value, total }, { note }) =>
      total > 0 ? `[${'#'.repeat((30 * Math.min(value, total)) / total).padEnd(30)}] ${note}` : String(note),
  })
  const bar = bars.create(0, 0, { note: '' })
  return {
    update: (done, total, note) => {
      bar.setTotal(total ?? 0)
      bar.update(done, { note })
    },
    report: (line) => bars.log(`${printableLine(line)}\n`),
    stop: () => bars.stop(),
  }
}

/** Shows the progress of a run, in this process or in an indexer. */
export const watchRun = (job: Job, display: ProgressDisplay, report: (finding: JobFinding) => void): JobWatcher => ({
  progress(done, total) {
    display.update(
      done,
      total,
      `${job.name}: ${formatNumber(done)}${total === null ? '' : ` of ${formatNumber(total)}`}`,
    )
  },
  report,
})
