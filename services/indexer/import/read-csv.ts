import { type CsvError, parse } from 'csv-parse'
import { comparableName } from '../../../shared/records/field-names.js'
import { fromCell } from '../../../shared/text/format-numbers.js'
import { isBracketed } from '../../../shared/text/values-in-text.js'
import {
  type CsvForm,
  csvFormOf,
  isBlank,
  isNoRow,
  isRowNumber,
  isTitle,
  joinEscaped,
  remedyOf,
  withDoubledQuotes,
  withoutEscapes,
  withoutFormulas,
  withoutLinks,
} from './csv-form.js'
import { decodeUtf8 } from './sniff-format.js'
import { type Members, maxRecordBytes, type SourceItem, UnreadableSource } from './source.js'

/** After these errors it is unknown where the next row begins. */
const fatalErrors = new Set(['CSV_MAX_RECORD_SIZE', 'CSV_QUOTE_NOT_CLOSED'])

/**
 * The maximum number of misplaced quotes in a line; after more, the rest of the source is not read. For each of them
 * the parser copies the cell so far, which takes quadratic time: half an hour for a line of one megabyte.
 */
const maxFaultsPerLine = 1_000

/** The maximum bytes of a row with its separators and quotes, which the parser does not count: it has a cell for each. */
const maxRowBytes = 4 * maxRecordBytes

/** Bytes that are passed to the parser at a time: it parses all of them, even after an error. */
const bytesPerPiece = 2_048

/**
 * Reads CSV (RFC 4180: a header row, cells with separators in quotes; `,`, `;`, tab or `|` between them). A row that cannot
 * be parsed, or has more or fewer cells than the header, is reported by its line and the next one is read.
 *
 * @param head the beginning of the same bytes; a first line `sep=;` names the separator
 * @param known the comparable names of which the header must have at least one
 * @throws UnreadableSource when there is no header, or when the rest cannot be read, as after an open quote
 */
export async function* readCsv(
  head: Buffer,
  chunks: AsyncIterable<Buffer>,
  known: ReadonlySet<string>,
): AsyncGenerator<SourceItem> {
  const items: SourceItem[] = []
  const form = csvFormOf(head)
  const { delimiter, lineEnds, firstLine, isMarkdown, hasQuotes, isEscaped } = form
  const lines = new LineCounter(firstLine)
  let header: string[] | null = null
  let title: string[] | null = null
  let broken: UnreadableSource | null = null
  let [faultyLine, faults, openBytes] = [0, 0, 0]
  let isLastShort = false
  const parser = parse({
    delimiter,
    record_delimiter: lineEnds,
    quote: hasQuotes ? '"' : null,
    // A space between a separator and a quote is no part of a cell.
    trim: !isMarkdown,
    from_line: firstLine,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    skip_records_with_error: true,
    on_record: (given: string[], info) => {
      const line = lines.startOf(given, info.lines)
      const cells = isMarkdown ? joinEscaped(given) : isEscaped ? given.map(withoutEscapes) : given
      openBytes = 0
      isLastShort = false
      if (broken !== null || isNoRow(cells, isMarkdown)) {
        return null
      }
      if (header === null && isTitle(cells, known)) {
        title ??= cells
      } else if (header === null) {
        header = cells.map((cell) => cell.trim())
        broken = faultOf(header, known)
      } else {
        isLastShort = cells.length < header.length
        items.push(toItem(isMarkdown ? withoutLinks(header, cells) : withoutFormulas(header, cells), line, delimiter))
      }
      return null
    },
    on_skip: (error) => {
      const place = `line ${lines.next}`
      openBytes = 0
      if (broken !== null || error === undefined) {
        return undefined
      }
      if (fatalErrors.has(error.code)) {
        broken = unreadableFrom(lines, reasonOf(error, lines))
        return undefined
      }
      const line = Number(error['lines'])
      faults = line === faultyLine ? faults + 1 : 1
      faultyLine = line
      if (faults > maxFaultsPerLine) {
        broken = new UnreadableSource(`line ${lines.of(line)} has more than ${maxFaultsPerLine} misplaced quotes`)
      } else if (faults === 1) {
        items.push({ place, reason: reasonOf(error, lines) })
        lines.skipTo(line)
      }
      return undefined
    },
  })
  let failure: unknown = null
  parser.on('error', (error) => {
    failure ??= error
  })
  let isEnded = true
  try {
    for await (const piece of piecesOfLines(decodeUtf8(chunks), form)) {
      // Empty lines are no rows.
      openBytes += /[^\r\n]/.test(piece.toString('latin1')) ? piece.length : 0
      parser.write(piece)
      broken ??= openBytes > maxRowBytes ? unreadableFrom(lines, rowTooLong) : null
      yield* items.splice(0)
      isEnded = [10, 13].includes(piece.at(-1) ?? 0)
      if (broken !== null) {
        break
      }
    }
  } catch (error) {
    failure = error
  }
  // The parser still has the last bytes.
  await new Promise((resolve) => parser.end(resolve))
  yield* items.splice(0)
  broken ??= header === null && title !== null ? faultOf(title, known) : null
  if (failure !== null || broken !== null) {
    throw failure ?? broken
  }
  if (isLastShort && !isEnded) {
    throw new UnreadableSource('is truncated: its last row ends in the middle')
  }
}

/** Why rows below this header cannot be read; null: they can. */
function faultOf(header: string[], known: ReadonlySet<string>): UnreadableSource | null {
  if (!header.some((name) => known.has(comparableName(name)))) {
    const begin = header.join(', ').slice(0, 200)
    return new UnreadableSource(
      `has no header row that names a known column; it begins with: ${begin}. ${remedyOf(header[0] ?? '')}`,
    )
  }
  const names = new Set<string>()
  const twice = header.find((name) => name !== '' && names.size === names.add(name).size)
  return twice === undefined
    ? null
    : new UnreadableSource(`has two columns ${JSON.stringify(twice)} in its header: name each once`)
}

/** Divides text into pieces of whole lines, as far as it goes: when a source fails, half a line could be mistaken for a row. */
async function* piecesOfLines(texts: AsyncIterable<string>, form: CsvForm): AsyncGenerator<Buffer> {
  let rest = ''
  const take = function* (length: number): Generator<Buffer> {
    const bytes = Buffer.from(withDoubledQuotes(rest.slice(0, length), form))
    rest = rest.slice(length)
    for (let start = 0; start < bytes.length; start += bytesPerPiece) {
      yield bytes.subarray(start, start + bytesPerPiece)
    }
  }
  for await (const text of texts) {
    rest += text
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    // The parser rejects a line that is too long.
    yield* take(rest.length > maxRecordBytes ? rest.length : end === 0 ? 0 : rest.length - text.length + end)
  }
  yield* take(rest.length)
}

/** Line numbers of rows. The parser counts a Windows line end in a quoted cell twice. */
class LineCounter {
  #countedTwice = 0

  /** @param next the line after the last row */
  constructor(public next: number) {}

  startOf(cells: string[], parserLines: number): number {
    const ends = cells.flatMap((cell) => cell.match(/\r\n|[\r\n]/g) ?? [])
    this.#countedTwice += ends.filter((end) => end.length === 2).length
    this.next = this.of(parserLines) + 1
    return this.of(parserLines) - ends.length
  }

  of(parserLines: number): number {
    return parserLines - this.#countedTwice
  }

  skipTo(parserLines: number): void {
    this.next = this.of(parserLines) + 1
  }
}

/**
 * A row with too few cells is not read without them: it may have been cut by a line break in a text, and have a cell that
 * hides its record in the next line.
 */
const cellsRemedy =
  'write a cell for each column, also for no value, and put a text with a line break or a separator in quotes'

function toItem({ header, cells }: ReturnType<typeof withoutLinks>, line: number, delimiter: string): SourceItem {
  const place = `line ${line}`
  // Columns without a name are empty ones of a spreadsheet, with or without their separators in each row.
  if (!cells.slice(header.length).every(isBlank) || !header.slice(cells.length).every((name) => name === '')) {
    return { place, reason: `has ${cells.length} cells, but the header has ${header.length}: ${cellsRemedy}` }
  }
  const dropped = cells.flatMap((cell, column) =>
    header[column] === '' && !isBlank(cell) && !isRowNumber(cell, column)
      ? [`column ${column + 1}: has no name in the header`]
      : [],
  )
  const sizeBytes = cells.reduce((sum, cell) => sum + cell.length, 0)
  const item = { place, record: toRecord(header, cells), sizeBytes, dropped, columns: header }
  return cells.some((cell) => lineEnd.test(cell))
    ? { ...item, rowsInCells: () => rowsInCells(header, cells, delimiter) }
    : item
}

const toRecord = (header: string[], cells: string[]): Members =>
  fromCells(
    Object.fromEntries([
      ...listsIn(header, cells),
      ...header.flatMap((name, column) => (name === '' || isBlank(cells[column] ?? '') ? [] : [[name, cells[column]]])),
    ]),
  )

/** The lists whose items have columns of their own: `tags[0]`, `topics.0`, `keywords/0`. */
function listsIn(header: string[], cells: string[]): Iterable<[name: string, items: string[]]> {
  const found = new Map<string, string[]>()
  for (const [column, name] of header.entries()) {
    const [, list = ''] = /^([a-z]+)[._/[]*\d+\]?$/i.exec(name) ?? []
    const cell = cells[column] ?? ''
    if (lists.has(comparableName(list)) && !isBlank(cell)) {
      const items = found.get(list) ?? []
      items.push(cell)
      found.set(list, items)
    }
  }
  return found
}

/** The comparable names of lists. */
const lists = new Set(['topics', 'tags', 'keywords', 'toptopics'])

/**
 * A row of a CSV file, without the apostrophes that an export puts before some texts. A row whose list is in brackets
 * was written by another program, from a file without apostrophes: there `'=` is a part of the text.
 */
export const fromCells = (row: Members): Members => (Object.entries(row).some(isOtherList) ? row : unescaped(row))

const isOtherList = ([name, value]: [string, unknown]): boolean =>
  lists.has(comparableName(name)) && (Array.isArray(value) || (typeof value === 'string' && isBracketed(value)))

/** Without the cells of no value: an empty path would be that of the root. */
const unescaped = (row: Members): Members =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value === '' ? [] : [[name, typeof value === 'string' ? fromCell(value) : value]],
    ),
  )

const lineEnd = /\r\n|[\r\n]/

/**
 * The lines of a row that would be rows by themselves. A missing quote that a later quote closes turns several rows
 * into one that looks whole.
 */
const rowsInCells = (header: string[], cells: string[], delimiter: string): Members[] =>
  cells
    .join(delimiter)
    .split(lineEnd)
    .map((line) => line.split(delimiter))
    .filter((row) => row.length === header.length)
    .map((row) => toRecord(header, row))

const unreadableFrom = (lines: LineCounter, reason: string): UnreadableSource =>
  new UnreadableSource(`could not be read on from line ${lines.next}: ${reason}`)

const rowTooLong = `a row is longer than ${maxRecordBytes} bytes; a closing quote may be missing`

function reasonOf(error: CsvError, lines: LineCounter): string {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted cell begins there and its closing quote is missing'
    case 'CSV_MAX_RECORD_SIZE':
      return rowTooLong
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `a quote is missing or misplaced, up to line ${lines.of(Number(error['lines']))}; write a quote inside a quoted cell twice`
    default:
      return error.message
  }
}
