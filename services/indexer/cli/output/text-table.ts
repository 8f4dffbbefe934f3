import stringWidth from 'string-width'
import { indented, type Screen, wrapWords } from './screen.js'

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

/** A row, with as many lines as its cells need. */
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
