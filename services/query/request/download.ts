import type { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import type { ByteRange } from '../../../shared/ports/export-store.js'
import { parseHttpDate } from '../../../shared/runtime/http-answers.js'
import { problemError } from './problems.js'
import { type ContentEncoding, chooseEncoding, inSeconds, isNotModified, type Validators } from './sendable-text.js'

/** A file, a part of it, or a 304, as it is to be sent. */
interface SelectedDownload {
  status: 200 | 206 | 304
  headers: string[]
  body: Readable | null
  /** The file that is sent: the requested one, or one of its previous ones. */
  file: Download
}

/**
 * Selects a file, a part of it, or a 304.
 *
 * Preconditions are evaluated in the order of RFC 9110, section 13.2.2. The entity tag is the hash of the bytes, so
 * each encoding has its own; `Repr-Digest` (RFC 9530) is that of the whole file, also when a part is sent.
 *
 * @throws AppError `range_not_satisfiable` (416), `precondition_failed` (412), `validator_required` (428), `part_elsewhere` (307), and
 * the errors of opening the file
 */
export async function selectDownload(ctx: ParameterizedContext, download: Download): Promise<SelectedDownload> {
  const { file, representation, range, unnamed } = selectPart(ctx, download)
  const { encoding, sizeBytes, sha256, open } = representation
  const etag = tagOf(representation)
  const validators = { etag, lastModified: file.lastModified }
  if (!meetsPreconditions(ctx, validators)) {
    throw problemError(
      'precondition_failed',
      `The file has changed: its ETag is ${etag}. Send the request without the condition.`,
    )
  }
  const { 'Content-Type': contentType = '', ...fileHeaders } = file.headers
  const headers = {
    ...fileHeaders,
    ETag: etag,
    'Last-Modified': file.lastModified.toUTCString(),
    'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  }
  if (isNotModified(ctx.headers, validators)) {
    return { status: 304, headers: Object.entries(headers).flat(), body: null, file }
  }
  const { 'Content-Location': location } = file.headers
  if (unnamed === 'redirected' && location !== undefined) {
    throw problemError(
      'part_elsewhere',
      `The file at this URL changes with each snapshot. The present one stays at ${location}.`,
      { headers: { Location: location } },
    )
  }
  if (unnamed !== null) {
    throw problemError(
      'validator_required',
      'The file at this URL changes with each snapshot: a part of it could be joined to a part of another file. ' +
        'Send If-Range with the ETag of the part that you have, or continue at the URL in its Content-Location; ' +
        'else delete the part and download the whole file.',
    )
  }
  if (range === 'unsatisfiable') {
    throw problemError(
      'range_not_satisfiable',
      `The range begins after the end of the ${sizeBytes}-byte file. Request one within it.`,
      { headers: { 'Content-Range': `bytes */${sizeBytes}` } },
    )
  }
  return {
    status: range === null ? 200 : 206,
    headers: Object.entries({
      ...headers,
      'Content-Type': contentType,
      'Accept-Ranges': 'bytes',
      'Content-Length': String(range === null ? sizeBytes : range.end - range.start + 1),
      ...(range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
      ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
    }).flat(),
    body: ctx.method === 'HEAD' ? null : await open(range),
    file,
  }
}

/** `If-Match`, by strong comparison; without it `If-Unmodified-Since`. */
function meetsPreconditions(ctx: ParameterizedContext, { etag, lastModified }: Required<Validators>): boolean {
  const match = ctx.get('If-Match')
  if (match !== '') {
    return match.trim() === '*' || readTags(match).includes(etag)
  }
  const sinceMs = parseHttpDate(ctx.get('If-Unmodified-Since'))
  return sinceMs === null || inSeconds(lastModified) <= sinceMs
}

/** A file to send, in one encoding or several. */
export interface Download {
  lastModified: Date
  /** Headers of every encoding: `Content-Type`, `Content-Disposition` and so on. */
  headers: Record<string, string>
  /** The same content unencoded and compressed, the smallest first. */
  representations: [plain: Representation, ...packed: Representation[]]
  /** The previous files that are kept of a URL whose content changes, newest first. Null: the content never changes. */
  previous: Download[] | null
}

/** The bytes of a file in one encoding. */
export interface Representation {
  /** Null: not encoded. */
  encoding: ContentEncoding | null
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
  /** @throws AppError (503) when the file is unavailable */
  open(range: ByteRange | null): Promise<Readable>
}

interface SelectedPart {
  /** The current file, or one of its previous ones. */
  file: Download
  representation: Representation
  /** Null: the whole file. */
  range: ByteRange | 'unsatisfiable' | null
  /**
   * Set where the file that the range belongs to is unknown. `refused`: the client may have a part of another file.
   * `redirected`: it asks for a part with both ends, so that it reads the file in parts; they are answered where the
   * bytes never change.
   */
  unnamed: 'refused' | 'redirected' | null
}

/**
 * Selects the file, its encoding and the range to send.
 *
 * A range belongs to the file that `If-Range` names by its entity tag, in the encoding of that tag; without `If-Range`,
 * to that of `If-Match`. Without either it belongs to the unencoded file: clients that send `Accept-Encoding` by
 * default, as Python's do, cannot decode a part of a compressed file.
 *
 * Where the content changes, the rest of a file (`bytes=5-`) without such a tag must be answered with an error. The
 * client may hold the start of another file, and would join the two even on a 200 with the whole file: `wget -c` skips as
 * many bytes of it as it already has. It would follow a redirect to another snapshot as well.
 */
function selectPart(ctx: ParameterizedContext, download: Download): SelectedPart {
  const whole = { file: download, representation: negotiate(ctx, download), range: null, unnamed: null }
  const [plain] = download.representations
  // Only GET has parts (RFC 9110, section 14.2).
  const header = ctx.method === 'GET' ? ctx.get('Range') : ''
  const range = readByteRange(header, plain.sizeBytes)
  if (range === null) {
    return whole
  }
  const ifRange = ctx.get('If-Range').trim()
  const tags = ifRange === '' ? readTags(ctx.get('If-Match')) : [ifRange]
  const isChanging = download.previous !== null
  for (const file of ifRange === '' ? [download] : [download, ...(download.previous ?? [])]) {
    const representation = file.representations.find((other) => tags.includes(tagOf(other)) && isAccepted(ctx, other))
    if (representation !== undefined) {
      const part = readByteRange(header, representation.sizeBytes)
      return { file, representation, range: part, unnamed: null }
    }
  }
  // No entity tag of a kept file; or a date, which is a weak validator, since all encodings share it (RFC 9110,
  // sections 8.8.1 and 13.1.5).
  if (ifRange !== '') {
    return whole
  }
  if (!isChanging) {
    return { file: download, representation: plain, range, unnamed: null }
  }
  // aria2c continues a file with both ends of the rest, follows redirects, and joins what it gets. Of the clients that
  // read files in parts it alone asks for a digest.
  const isPart = !/-[\t ]*$/.test(header) && ctx.get('Want-Digest') === ''
  // The rest from the first byte starts the download again.
  if (!isPart && range !== 'unsatisfiable' && range.start === 0) {
    return whole
  }
  return { file: download, representation: plain, range, unnamed: isPart ? 'redirected' : 'refused' }
}

function negotiate(ctx: ParameterizedContext, { representations }: Download): Representation {
  const [plain, ...packed] = representations
  const available = packed.flatMap(({ encoding }) => encoding ?? [])
  const chosen = chooseEncoding(ctx.get('Accept-Encoding'), available)
  return packed.find(({ encoding }) => encoding === chosen) ?? plain
}

const isAccepted = (ctx: ParameterizedContext, { encoding }: Representation): boolean =>
  encoding === null || chooseEncoding(ctx.get('Accept-Encoding'), [encoding]) === encoding

const tagOf = ({ sha256 }: Representation): string => `"${sha256}"`

/** The entity tags of a header, weak ones including `W/`. */
const readTags = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/**
 * Reads the bytes that a `Range` header selects.
 *
 * Only a single byte range is supported. Several ranges, other units and malformed values are ignored, as RFC 9110,
 * section 14.2, allows: the response is then the whole file. `range-parser` would make a 416 of a malformed one.
 *
 * @param header empty when there is none
 * @returns null: the whole file; `unsatisfiable`: the range begins after the end of the file
 */
export function readByteRange(header: string, sizeBytes: number): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header) ?? []
  if (first === '') {
    return last === '' ? null : lastBytes(Number(last), sizeBytes)
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (last !== '' && Number(last) < start) {
    return null
  }
  return start < sizeBytes ? { start, end } : 'unsatisfiable'
}

/** A suffix range; all of a file that is smaller. */
const lastBytes = (count: number, sizeBytes: number): ByteRange | 'unsatisfiable' =>
  count === 0 || sizeBytes === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - count), end: sizeBytes - 1 }
