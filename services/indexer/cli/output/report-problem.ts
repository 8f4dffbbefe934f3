import { printable } from '../../../../shared/text/printable.js'
import { type OutputStream, screenOf } from './screen.js'

/** Prints a message about an error or a warning; on a terminal it is wrapped, and red. */
export function reportProblem(stderr: OutputStream, message: string): void {
  const { style, wrap } = screenOf(stderr)
  stderr.write(`${style('red', wrap(printable(message)))}\n`)
}
