import type { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import type { ByteRange } from '../../shared/ports/export-store.js'
import { readByteRange } from './byte-range.js'
import { isNotModified } from './conditional.js'
import { type ContentEncoding, chooseEncoding } from './content-encoding.js'
import { preconditionFailed, rangeNotSatisfiable } from './errors.js'

/** A file to hand out, in one encoding or several. */
export interface Download {
  lastModified: Date
  /** Headers that hold for every encoding: `Content-Type`, `Content-Disposition` and so on. */
  headers: Record<string, string>
  /** The same content as it is, and packed, the better packing first. */
  representations: [plain: Representation, ...packed: Representation[]]
}

/** The bytes of a file in one encoding. */
export interface Representation {
  /** Null: as it is. */
  encoding: ContentEncoding | null
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
  /** @throws AppError (503) when the file cannot be had just now */
  open(range: ByteRange | null): Promise<Readable>
}

/**
 * Sends a file, or the part of it that is asked for, or that the client has it already.
 *
 * Preconditions are looked at in the order of RFC 9110, section 13.2.2. The entity tag is the hash of the bytes, so
 * that each encoding has its own; `Repr-Digest` (RFC 9530) is that of the whole file, in a part of it as well.
 *
 * @throws AppError `range_not_satisfiable` (416), `precondition_failed` (412), or as the file's opening did
 */
export async function sendDownload(ctx: ParameterizedContext, download: Download): Promise<void> {
  const { lastModified, headers } = download
  const { encoding, sizeBytes, sha256, open } = selectRepresentation(ctx, download)
  const etag = `"${sha256}"`
  const validators = { etag, lastModified: toSeconds(lastModified) }
  if (!meetsPreconditions(ctx, validators)) {
    throw preconditionFailed(etag)
  }
  const described = {
    ...headers,
    ETag: etag,
    'Last-Modified': lastModified.toUTCString(),
    'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    Vary: 'Accept-Encoding',
  }
  if (isNotModified(ctx.headers, validators)) {
    ctx.status = 304
    ctx.set(described)
    return
  }
  const range = isRangeMeant(ctx, validators) ? readByteRange(ctx.get('Range'), sizeBytes) : null
  if (range === 'unsatisfiable') {
    throw rangeNotSatisfiable(sizeBytes)
  }
  // Before any header is set: those of a file do not belong on the problem that it cannot be read.
  const stream = ctx.method === 'HEAD' ? null : await open(range)
  ctx.status = range === null ? 200 : 206
  ctx.set({
    ...described,
    'Accept-Ranges': 'bytes',
    'Content-Length': String(range === null ? sizeBytes : range.end - range.start + 1),
    ...(range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
  })
  if (stream !== null) {
    ctx.body = stream
  }
}

interface FileValidators {
  etag: string
  /** Whole seconds, as headers tell them. */
  lastModified: Date
}

function selectRepresentation(ctx: ParameterizedContext, { representations }: Download): Representation {
  const [plain, ...packed] = representations
  const available = packed.flatMap(({ encoding }) => encoding ?? [])
  const chosen = chooseEncoding(ctx.get('Accept-Encoding'), available)
  return packed.find(({ encoding }) => encoding === chosen) ?? plain
}

/** `If-Match`, by strong comparison; without it `If-Unmodified-Since`. */
function meetsPreconditions(ctx: ParameterizedContext, { etag, lastModified }: FileValidators): boolean {
  const match = ctx.get('If-Match')
  if (match !== '') {
    return match.trim() === '*' || match.match(/(?:W\/)?"[^"]*"/g)?.includes(etag) === true
  }
  const since = Date.parse(ctx.get('If-Unmodified-Since'))
  return Number.isNaN(since) || lastModified.getTime() <= since
}

/** Whether the part that is asked for is one of this very file: `If-Range` names it by its tag or its time. */
function isRangeMeant(ctx: ParameterizedContext, { etag, lastModified }: FileValidators): boolean {
  const ifRange = ctx.get('If-Range').trim()
  return (
    // Only GET has parts.
    ctx.method === 'GET' && (ifRange === '' || ifRange === etag || Date.parse(ifRange) === lastModified.getTime())
  )
}

const toSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000)
