import { setImmediate } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import {
  type ExportDraft,
  type ExportFormat,
  exportEncodings,
  exportFormats,
  type SnapshotMoment,
} from '../../shared/ports/export-store.js'
import { dataLicense } from '../../shared/records/data-license.js'
import { type PublicRecords, publicSchemas, type RecordType, recordTypes } from '../../shared/records/records.js'
import type { Skill } from '../../shared/records/skill.js'
import { pauseEvery } from './apply-changes.js'
import type { JobContext } from './job.js'
import { packExport } from './pack-export.js'

/** How many rows an export file holds at most; `truncated` and the two counts tell of the rest. */
export const maxExportRows = 10_000

/** How many rows are turned into text at a time. */
const rowsPerPiece = 500

/**
 * All files of one snapshot: each type in every format, of the same rows, in every encoding. One type at a time is read.
 *
 * @param skills the rows of the skills, at most `maxExportRows`: they have been read already
 */
export async function* exportDrafts(
  { catalog, report, reached, signal }: JobContext,
  { snapshot, generatedAt }: SnapshotMoment,
  skills: { total: number; rows: Skill[] },
): AsyncGenerator<ExportDraft> {
  for (const type of recordTypes) {
    signal.throwIfAborted()
    const read = type === 'skills' ? skills : await catalog.exportRows(type, maxExportRows)
    const rows = await publicRows(type, read.rows, (id, reason) => report({ kind: 'rejected', id, reason }))
    // What cannot be published is not part of the catalog: a file without it is not a cut one.
    const total = read.total - (read.rows.length - rows.length)
    const head = {
      type,
      ...dataLicense,
      snapshot,
      generatedAt,
      total,
      count: rows.length,
      truncated: rows.length < total,
    }
    const texts: Record<ExportFormat, () => Iterable<string>> = {
      json: () => toJson(head, rows),
      csv: () => toCsv(Object.keys(publicSchemas[type].shape), rows),
      ndjson: () => toNdjson(rows),
    }
    for (const format of exportFormats) {
      for (const encoding of exportEncodings) {
        signal.throwIfAborted()
        // Written out anew for each encoding: that costs less than keeping all of the text.
        const content = packExport(texts[format](), encoding)
        yield { type, format, encoding, total, count: rows.length, content }
        // The store comes back for the next file when this one is in its place.
        reached?.('export-file-written')
      }
    }
  }
  reached?.('export-files-written')
}

/**
 * The rows in their public shape and nothing beside it: the last gate before the files. A row that does not fit is
 * left out and told, so that it does not keep the others from being published.
 */
async function publicRows<T extends RecordType>(
  type: T,
  rows: PublicRecords[T][],
  reject: (id: string, reason: string) => void,
): Promise<object[]> {
  const fitting: object[] = []
  for (const [place, row] of rows.entries()) {
    if (place % pauseEvery === 0) {
      await setImmediate()
    }
    const parsed = publicSchemas[type].safeParse(row)
    if (parsed.success) {
      fitting.push(parsed.data)
    } else {
      const reasons = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
      reject(String('login' in row ? row.login : row.id), `left out of the ${type} export: ${reasons.join('; ')}`)
    }
  }
  return fitting
}

/** The envelope with the rows as its `data`, one a line. */
export function* toJson(head: object, rows: object[]): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`
  for (const [place, row] of rows.entries()) {
    yield `${place === 0 ? '' : ','}\n${JSON.stringify(row)}`
  }
  yield '\n]}\n'
}

/** One row a line and nothing else, so that a file can be cut anywhere and read from there. */
function* toNdjson(rows: object[]): Generator<string> {
  for (const row of rows) {
    yield `${JSON.stringify(row)}\n`
  }
}

/** RFC 4180 with a header row; lists joined by `|`, absent values empty. */
export function* toCsv(columns: string[], rows: object[]): Generator<string> {
  const options = {
    columns,
    record_delimiter: 'windows',
    // Else a lone line feed would stay unquoted beside CR LF, and most readers end the row there.
    quote_record_delimiter: true,
    escape_formulas: true,
    cast: {
      boolean: String,
      object: (value: object) => (Array.isArray(value) ? withoutFormula(value.join('|')) : JSON.stringify(value)),
      string: withoutFormula,
    },
  } as const
  yield stringify([], { ...options, header: true })
  for (let from = 0; from < rows.length; from += rowsPerPiece) {
    yield stringify(rows.slice(from, from + rowsPerPiece), options)
  }
}

/** What `escape_formulas` leaves out: spreadsheets skip these two and run what follows. */
const withoutFormula = (text: string): string => (/^[\0\n]/.test(text) ? `'${text}` : text)
