import { styleText } from 'node:util'
import type { Command } from 'commander'
import { printable } from '../../../../shared/text/printable.js'
import type { CommandLine } from '../command-line.js'
import { type OutputStream, type Screen, screenOf } from './screen.js'

/** Wider help is hard to read. */
const maxHelpColumns = 100

/** Where less is left for descriptions, they are not wrapped. */
const minTextColumns = 24

/** commander removes colours where the stream has none. */
const styled = (format: Parameters<typeof styleText>[0]) => (text: string) =>
  styleText(format, text, { validateStream: false })

/** Makes a program and its later commands print help and errors as wide as the terminal, with colours on one only. */
export function styleHelp(program: Command, { stdout, stderr }: Pick<CommandLine, 'stdout' | 'stderr'>): Command {
  const widthOf = ({ isTTY, columns }: OutputStream) => (isTTY && columns ? Math.min(columns, maxHelpColumns) : 80)
  const hasColors = (stream: OutputStream) => screenOf(stream).style('bold', 'x') !== 'x'
  return program
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => {
        const { style, wrap } = screenOf(stderr)
        write(style('red', wrap(printable(text))))
      },
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => hasColors(stdout),
      getErrHasColors: () => hasColors(stderr),
    })
    .configureHelp({
      minWidthToWrap: minTextColumns,
      styleTitle: styled('bold'),
      styleCommandText: styled('cyan'),
      styleSubcommandText: styled('cyan'),
      styleOptionText: styled('cyan'),
      styleArgumentText: styled('green'),
    })
}

/** The examples at the end of a command's help. */
export const exampleText = (examples: string[], { style }: Pick<Screen, 'style'>): string =>
  `\n${style('bold', 'Examples:')}\n${examples.map((line) => `  ${style('dim', 'npm run catalog --')} ${line}`).join('\n')}\n`
