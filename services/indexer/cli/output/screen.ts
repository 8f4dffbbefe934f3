import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { relativeTime } from '../../status/describe.js'

/** A stream of a command: a terminal, a pipe or a file. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number }

type Format = Parameters<typeof styleText>[0]

/** How text is shown on a stream. */
export interface Screen {
  /** Characters of a line of the terminal; null for a pipe or a file, whose lines may have any length. */
  columns: number | null
  /** The text in a colour or weight, where the stream is a terminal; `NO_COLOR` and `FORCE_COLOR` override that. */
  style(format: Format, text: string): string
  /** Wraps lines between words; the continuation of a line keeps its margin. */
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
const wrapWords = (text: string, columns: number): string => wrapAnsi(text, columns, { hard: true })

/** Begins each line with these spaces, and on a terminal wraps the lines. */
export function indented(text: string, indent: number, { columns }: Pick<Screen, 'columns'>): string {
  const lines = columns === null ? text : wrapWords(text, Math.max(1, Math.min(columns, maxProseColumns) - indent))
  return lines.replaceAll(/^/gm, ' '.repeat(indent))
}

/** Spaces between two columns. */
const gap = 2

/** In less room than this, text in a column is hard to read. */
const minTextColumns = 24

/**
 * Aligns the cells of rows in columns. The first row is the head. On a terminal, lines are fitted to its width: the
 * text of one column is wrapped or, where little room is left for it, follows the row on lines of its own.
 *
 * @param textColumn index of the column that is wrapped
 */
export function textTable(rows: string[][], screen: Screen, textColumn: number): string {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))))
  const others = widths.reduce((sum, width, column) => sum + (column === textColumn ? 0 : width + gap), 0)
  const room = (screen.columns ?? Number.POSITIVE_INFINITY) - others
  const title = (line: string) => screen.style('bold', line)
  if (room >= Math.min(minTextColumns, widths[textColumn] ?? 0)) {
    const fitted = widths.with(textColumn, Math.min(room, widths[textColumn] ?? 0))
    return [title(linesOf(head, fitted)), ...body.map((row) => linesOf(row, fitted))].join('\n')
  }
  const without = <T>(cells: T[]): T[] => cells.toSpliced(textColumn, 1)
  return [
    title(linesOf(without(head), without(widths))),
    ...body.flatMap((row) => {
      const text = row[textColumn] ?? ''
      return [linesOf(without(row), without(widths)), ...(/^-?$/.test(text) ? [] : [indented(text, 4, screen)])]
    }),
  ].join('\n')
}

function linesOf(row: string[], widths: number[]): string {
  const cells = row.map((cell, column) => {
    const width = widths[column] ?? 0
    return stringWidth(cell) <= width ? [cell] : wrapWords(cell, width).split('\n')
  })
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => padded(lines[line] ?? '', widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  ).join('\n')
}

const padded = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)))

/** A moment on a terminal as the time since then or until then, `12 min ago`; elsewhere as it is, ISO-8601. */
export const formatMoment = (iso: string, now: Date, { columns }: Pick<Screen, 'columns'>): string =>
  columns === null ? iso : relativeTime(iso, now)
