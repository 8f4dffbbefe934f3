import type { ImportWatcher } from '../import/read-records.js'
import type { Source } from '../import/source.js'
import { counted, figure } from './figures.js'
import type { ProgressDisplay } from './progress-display.js'

/** How many rejected records are told one by one. */
const mostTold = 20

/** How many records pass between two looks at the bar. */
const stride = 500

/**
 * Shows an import as it goes on.
 *
 * @param options.replace whether the sources are read twice
 * @param options.verbose whether every rejected record and every value that is left out is listed
 * @returns the watcher, and what is to be called at its end
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
        if (total % stride === 0) {
          display.update(bytes, totalBytes, `${counted(total, 'records')}, ${figure(rejected)} rejected`)
        }
      },
      rejected({ label, place, reason }) {
        rejected += 1
        if (verbose || rejected <= mostTold) {
          display.tell(`${label}, ${place}: ${reason}`)
        }
      },
      dropped({ label, place, reason }) {
        if (verbose) {
          display.tell(`${label}, ${place}: left out: ${reason}`)
        }
      },
      unreadable({ label, reason }) {
        display.tell(`${label} ${reason}`)
      },
    },
    end() {
      if (!verbose && rejected > mostTold) {
        display.tell(`... and ${counted(rejected - mostTold, 'more rejected records')}; --verbose lists all of them.`)
      }
    },
  }
}
