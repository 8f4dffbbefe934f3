import { pipeline, Readable, type Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib'
import { stringify } from 'csv-stringify/sync'
import {
  type ExportDraft,
  type ExportEncoding,
  type ExportFile,
  type ExportFormat,
  exportEncodings,
  exportFormats,
  type SnapshotManifest,
  type SnapshotMoment,
} from '../../../shared/ports/export-store.js'
import {
  dataLicense,
  type FileRecords,
  type PublicRecords,
  type RecordType,
  recordTypes,
} from '../../../shared/records/records.js'
import { fileSchemas, publicSchemas } from '../../../shared/records/schemas.js'
import { type Skill, toSkillRow } from '../../../shared/records/skill.js'
import { toCell } from '../../../shared/text/format-numbers.js'
import { joinList } from '../../../shared/text/values-in-text.js'
import type { JobContext } from '../runner/job.js'
import type { ManifestSigner } from '../signing/minisign.js'

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

/**
 * The manifest of a snapshot, which clients download next to its files.
 *
 * @param signer null: it is not signed
 */
export function describeSnapshot(
  { snapshot, generatedAt, changesSince }: SnapshotMoment,
  files: ExportFile[],
  signer: ManifestSigner | null,
): SnapshotManifest {
  const manifest = {
    snapshot,
    generatedAt,
    ...dataLicense,
    changesSince,
    files: files.map(({ type, format, encoding, count, total, truncated, sizeBytes, sha256 }) => ({
      name: `${type}.${format}`,
      encoding,
      rows: count,
      total,
      truncated,
      bytes: sizeBytes,
      sha256,
    })),
  }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  return {
    text,
    signature: signer?.sign(text, `snapshot ${snapshot}, ${dataLicense.license}`) ?? null,
    publicKey: signer?.publicKey ?? null,
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
  { catalog, report, signal }: JobContext,
  { snapshot, generatedAt }: SnapshotMoment,
  skills: { total: number; rows: Skill[] },
): AsyncGenerator<ExportDraft> {
  for (const type of recordTypes) {
    signal.throwIfAborted()
    const read = type === 'skills' ? skills : await catalog.exportRows(type, maxExportRows, maxExportCharacters)
    const rows = await fileRows(type, read.rows, (id, reason) => report({ kind: 'rejected', id, reason }))
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

/** A public record as it is in files. */
const toFileRecord: { [T in RecordType]: (record: PublicRecords[T]) => FileRecords[T] } = {
  skills: toSkillRow,
  prompts: (prompt) => prompt,
  organizations: (organization) => organization,
}

/** The rows with their public fields only. An invalid row is rejected, so that the others can be published. */
async function fileRows<T extends RecordType>(
  type: T,
  rows: PublicRecords[T][],
  reject: (id: string, reason: string) => void,
): Promise<object[]> {
  const valid: object[] = []
  for (const [place, row] of rows.entries()) {
    if (place % pauseEvery === 0) {
      await setImmediate()
    }
    const parsed = publicSchemas[type].safeParse(row)
    if (parsed.success) {
      valid.push(toFileRecord[type](parsed.data as PublicRecords[T]))
    } else {
      const reasons = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
      reject(String('login' in row ? row.login : row.id), `omitted from the ${type} export: ${reasons.join('; ')}`)
    }
  }
  return valid
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
