import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import wrapAnsi from 'wrap-ansi'

/** A stream of a command: a terminal, a pipe or a file. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number }

type Format = Parameters<typeof styleText>[0]

/** How text is shown on a stream. */
export interface Screen {
  /** Characters of a line of the terminal; null for a pipe or a file, whose lines may have any length. */
  columns: number | null
  /** The text in a colour or weight, where the stream is a terminal; `NO_COLOR` and `FORCE_COLOR` override that. */
  style(format: Format, text: string): string
  /** The text with its lines wrapped between words; further lines of one keep its margin. */
  wrap(text: string): string
}

/** The width of a terminal that does not report one. */
const defaultColumns = 80

/** Longer lines of prose are hard to read. */
const maxProseColumns = 100

export function screenOf(stream: OutputStream): Screen {
  const columns = stream.isTTY === true ? stream.columns || defaultColumns : null
  return {
    columns,
    style: (format, text) => styleText(format, text, { stream }),
    wrap: (text) => text.replaceAll(/^( *)(.+)$/gm, (_, margin, line) => indented(line, margin.length, { columns })),
  }
}

/** Wraps lines between words; a word that is longer than a line is broken. */
export const wrapWords = (text: string, columns: number): string => wrapAnsi(text, columns, { hard: true })

/** Begins each line with these spaces, and on a terminal wraps the lines. */
export function indented(text: string, indent: number, { columns }: Pick<Screen, 'columns'>): string {
  const lines = columns === null ? text : wrapWords(text, Math.max(1, Math.min(columns, maxProseColumns) - indent))
  return lines.replaceAll(/^/gm, ' '.repeat(indent))
}
