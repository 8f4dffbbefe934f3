import { comparableName, knownNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { parseRecord } from './map-record.js'
import { isMessage } from './strangers.js'

/** Reads a list of rows, each a list of cells, whose first one names the columns, as Google Sheets answers its values. */
export class TableRows {
  /** Null: the first row names no columns; undefined: there was none yet. */
  #header: string[] | null | undefined

  constructor(private readonly type: RecordType) {}

  /** A record or a row, see `parseRecord`; null: it is about the others. */
  parse(text: string): ReturnType<typeof parseRecord> | null {
    const json = this.#read(text)
    const parsed = json === null ? null : parseRecord(json)
    return parsed !== null && 'record' in parsed && isMessage(parsed.record) ? null : parsed
  }

  /**
   * A row as the JSON of a record. Cells at its end may be missing: there they have no value.
   *
   * @param text JSON of an item of the list
   * @returns null for the row that names the columns; the text itself where it is no row of a table
   */
  #read(text: string): string | null {
    const cells = text.startsWith('[') && this.#header !== null ? parseJson(text) : null
    if (!Array.isArray(cells) || cells.some((cell) => cell !== null && typeof cell === 'object')) {
      return text
    }
    if (this.#header === undefined) {
      const known = cells.filter((name) => knownNames[this.type].has(comparableName(String(name))))
      // One alone may be the first cell of a column.
      const isHeader = known.length > 1 && new Set(cells).size === cells.length
      this.#header = isHeader ? cells.map(String) : null
      return isHeader ? null : text
    }
    const header = this.#header ?? []
    const named = header.flatMap((name, column) => {
      const cell: unknown = cells[column]
      return name.trim() === '' || cell === undefined || cell === '' ? [] : [[name, cell]]
    })
    return cells.length > header.length ? text : JSON.stringify(Object.fromEntries(named))
  }
}
