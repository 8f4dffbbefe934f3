import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import type { ImportWatcher } from '../../import/read-records.js'
import type { Source } from '../../import/source.js'
import type { ProgressDisplay } from './progress-display.js'

/** Further rejected records are only counted, without --verbose. */
const maxReported = 20

/** Records between two updates of the bar. */
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
