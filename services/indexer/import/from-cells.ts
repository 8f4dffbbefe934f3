import { comparableName } from '../../../shared/records/field-names.js'
import { publicSchemas, type RecordType } from '../../../shared/records/records.js'
import { fromCell } from '../../../shared/text/cell-text.js'
import { isBracketed } from '../../../shared/text/split-list.js'

type Row = Record<string, unknown>

/** The comparable names of lists. */
const lists = new Set(['topics', 'tags', 'keywords', 'toptopics'])

/**
 * A row of a CSV file, without the apostrophes that an export puts before some texts. A row whose list is in brackets
 * was written by another program, from a file without apostrophes: there `'=` is a part of the text.
 */
export const fromCells = (row: Row): Row => (Object.entries(row).some(isOtherList) ? row : unescaped(row))

/** A record of JSON: one that another program has made from a CSV export is read as a row of that. */
export function fromExport(type: RecordType, record: Row): Row {
  const isExported = Object.keys(publicSchemas[type].shape).every((name) => Object.hasOwn(record, name))
  return isExported ? fromCells(record) : record
}

const isOtherList = ([name, value]: [string, unknown]): boolean =>
  lists.has(comparableName(name)) && (Array.isArray(value) || (typeof value === 'string' && isBracketed(value)))

const unescaped = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? fromCell(value) : value]),
  )
