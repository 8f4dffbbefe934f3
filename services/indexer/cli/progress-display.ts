import { MultiBar } from 'cli-progress'
import { printable } from '../../../shared/text/printable.js'
import type { CommandLine, CommonOptions } from './command-line.js'

/** Shows how far a command has come, and what it has to say meanwhile. */
export interface ProgressDisplay {
  /**
   * @param done of `total` units; a total of null is not known
   * @param note beside the bar, for instance `1,200 records`
   */
  update(done: number, total: number | null, note: string): void
  /** Writes a line for the operator, above the bar. */
  tell(line: string): void
  /** Takes the bar away. */
  stop(): void
}

/** A bar on a terminal; elsewhere, and for machines, only the lines. */
export function openProgress(cli: CommandLine, options: CommonOptions): ProgressDisplay {
  const { stderr } = cli
  if (stderr.isTTY !== true || options.json) {
    return {
      update: () => undefined,
      tell: (line) => {
        stderr.write(`${printable(line)}\n`)
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
    tell: (line) => bars.log(`${printable(line)}\n`),
    stop: () => bars.stop(),
  }
}
