import type { JobFinding, JobWatcher } from '../../../../shared/ports/job-scheduler.js'
import { printableLine } from '../../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import type { ImportWatcher } from '../../import/read-records.js'
import type { Source } from '../../import/source.js'
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
}

/** Does work with a progress bar and lines above it; without a terminal, or with --json, only with the lines. */
export async function withProgress<T>(
  cli: CommandLine,
  options: CommonOptions,
  work: (display: ProgressDisplay) => Promise<T>,
): Promise<T> {
  const display = await openProgress(cli, options)
  try {
    return await work(display)
  } finally {
    display.stop()
  }
}

/** `stop` removes the bar. */
async function openProgress(
  { stderr }: CommandLine,
  options: CommonOptions,
): Promise<ProgressDisplay & { stop(): void }> {
  if (stderr.isTTY !== true || options.json) {
    return {
      update: () => undefined,
      report: (line) => {
        stderr.write(`${printableLine(line)}\n`)
      },
      stop: () => undefined,
    }
  }
  const { MultiBar } = await import('cli-progress')
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

/** Further rejected records are only counted, without --verbose. */
const maxReported = 20

const updateEvery = 500

/**
 * Shows the progress of an import, and its rejected records.
 *
 * @param options.replace whether the sources are read twice
 * @param options.verbose whether all rejected records and all dropped values are listed
 * @returns the watcher; `end` prints the number of rejected records that were not listed
 */
export function watchImport(
  sources: Source[],
  display: ProgressDisplay,
  { replace = false, verbose = false }: { replace?: boolean; verbose?: boolean },
): { watcher: ImportWatcher; end: () => void } {
  const sizes = sources.map(({ sizeBytes }) => sizeBytes)
  const sumBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const totalBytes = sizes.includes(null) ? null : sumBytes * (replace ? 2 : 1)
  let bytes = 0
  let rejected = 0
  return {
    watcher: {
      read(count) {
        bytes += count
      },
      dealtWith(total) {
        if (total % updateEvery === 0) {
          display.update(bytes, totalBytes, `${formatCount(total, 'records')}, ${formatNumber(rejected)} rejected`)
        }
      },
      rejected({ label, place, reason }) {
        rejected += 1
        if (verbose || rejected <= maxReported) {
          display.report(`${label}, ${place}: ${reason}`)
        }
      },
      dropped({ label, place, reason }) {
        if (verbose) {
          display.report(`${label}, ${place}: dropped: ${reason}`)
        }
      },
      unreadable({ label, reason }) {
        display.report(`${label} ${reason}`)
      },
    },
    end() {
      if (!verbose && rejected > maxReported) {
        display.report(
          `... and ${formatCount(rejected - maxReported, 'more rejected records')}; --verbose lists all of them.`,
        )
      }
    },
  }
}
