import { pipeline, Readable, type Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib'
import { stringify } from 'csv-stringify/sync'
import {
  type ExportDraft,
  type ExportEncoding,
  type ExportFormat,
  exportEncodings,
  exportFormats,
  type SnapshotMoment,
} from '../../../shared/ports/export-store.js'
import { dataLicense, recordTypes } from '../../../shared/records/records.js'
import { fileSchemas } from '../../../shared/records/schemas.js'
import type { Skill } from '../../../shared/records/skill.js'
import { toCell } from '../../../shared/text/format-numbers.js'
import { joinList } from '../../../shared/text/values-in-text.js'
import type { JobContext } from '../runner/job.js'
import { fileRecords } from './snapshot.js'

/** Characters per piece of text that is compressed or written at once. */
const pieceLength = 64 * 1024

/** Compressed once and sent many times. Brotli's levels above 9 take ten times as long for a few percent. */
const brotliQuality = 9
const gzipLevel = 9

/** The bytes of a text in one encoding; equal texts give equal bytes. */
function packExport(text: Iterable<string>, encoding: ExportEncoding): AsyncIterable<Uint8Array> {
  const bytes = Readable.from(inPieces(text))
  switch (encoding) {
    case 'identity':
      return bytes
    case 'br':
      return through(bytes, createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality } }))
    case 'gzip':
      return through(bytes, createGzip({ level: gzipLevel }))
  }
}

/** The reader of the result gets the errors of both streams. */
const through = (bytes: Readable, compressor: Transform): AsyncIterable<Uint8Array> =>
  pipeline(bytes, compressor, () => {})

function* inPieces(text: Iterable<string>): Generator<Uint8Array> {
  let piece = ''
  for (const part of text) {
    piece += part
    if (piece.length >= pieceLength) {
      yield Buffer.from(piece)
      piece = ''
    }
  }
  if (piece !== '') {
    yield Buffer.from(piece)
  }
}

/** Yields to the event loop after so many rows. */
const pauseEvery = 100

/** Maximum rows of an export file; `truncated`, `count` and `total` show that there are more. */
export const maxExportRows = 10_000

/** Maximum characters of the contents of all prompts of an export file, whose rows are in memory together. */
const maxExportCharacters = 200_000_000

/** Rows per call of the CSV writer. */
const rowsPerPiece = 500

/**
 * All files of one snapshot: each type in every format and encoding, with the same rows. Types are read one at a time.
 *
 * @param skills the rows of the skills, at most `maxExportRows`, which the caller has read
 */
export async function* exportDrafts(
  context: JobContext,
  { snapshot, generatedAt }: SnapshotMoment,
  skills: { total: number; rows: Skill[] },
): AsyncGenerator<ExportDraft> {
  const { catalog, signal } = context
  for (const type of recordTypes) {
    signal.throwIfAborted()
    const read = type === 'skills' ? skills : await catalog.exportRows(type, maxExportRows, maxExportCharacters)
    const rows: object[] = []
    for (let from = 0; from < read.rows.length; from += pauseEvery) {
      await setImmediate()
      rows.push(...fileRecords(context, type, read.rows.slice(from, from + pauseEvery), `the ${type} export`))
    }
    // Rejected records are not part of the catalog: a file without them is not truncated.
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
      csv: () => toCsv(Object.keys(fileSchemas[type].shape), rows),
      ndjson: () => toNdjson(rows),
    }
    for (const format of exportFormats) {
      for (const encoding of exportEncodings) {
        signal.throwIfAborted()
        // Generated again for each encoding: that costs less than keeping the text in memory.
        const content = packExport(texts[format](), encoding)
        yield { type, format, encoding, total, count: rows.length, content }
      }
    }
  }
}

/** The envelope with the rows as its `data`, one per line. */
export function* toJson(head: object, rows: object[]): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`
  for (const [place, row] of rows.entries()) {
    yield `${place === 0 ? '' : ','}\n${JSON.stringify(row)}`
  }
  yield '\n]}\n'
}

/** One row per line and no envelope, so that a file can be split at any line. */
function* toNdjson(rows: object[]): Generator<string> {
  for (const row of rows) {
    yield `${JSON.stringify(row)}\n`
  }
}

/** RFC 4180 with a header row; lists joined by `|`, absent values empty. No cell begins as a formula. */
export function* toCsv(columns: string[], rows: object[]): Generator<string> {
  const options = {
    columns,
    record_delimiter: 'windows',
    // Rows end with CR LF, so the writer would leave a single line feed unquoted, at which most readers end the row.
    quote_record_delimiter: true,
    cast: {
      boolean: String,
      object: (value: object) => (Array.isArray(value) ? toCell(joinList(value)) : JSON.stringify(value)),
      string: (text: string, { header }: { header: boolean }) => (header ? text : toCell(text)),
    },
  } as const
  yield stringify([], { ...options, header: true })
  for (let from = 0; from < rows.length; from += rowsPerPiece) {
    yield stringify(rows.slice(from, from + rowsPerPiece), options)
  }
}
