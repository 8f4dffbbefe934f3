import type { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import type { ByteRange } from '../../shared/ports/export-store.js'
import { parseHttpDate } from '../../shared/text/parse-http-date.js'
import { isNotModified } from './conditional.js'
import type { ContentEncoding } from './content-encoding.js'
import { preconditionFailed, rangeNotSatisfiable, validatorRequired } from './errors.js'
import { readTags, selectPart, tagOf } from './select-part.js'

/** A file to hand out, in one encoding or several. */
export interface Download {
  lastModified: Date
  /** Headers that hold for every encoding: `Content-Type`, `Content-Disposition` and so on. */
  headers: Record<string, string>
  /** The same content as it is, and packed, the better packing first. */
  representations: [plain: Representation, ...packed: Representation[]]
  /** Where the content of an address changes: what was there before and is kept, newest first. Null: it never changes. */
  previous: Download[] | null
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
 * Sends a file, a part of it, or that the client has it already.
 *
 * Preconditions are evaluated in the order of RFC 9110, section 13.2.2. The entity tag is the hash of the bytes, so
 * that each encoding has its own; `Repr-Digest` (RFC 9530) is that of the whole file, in a part of it as well.
 *
 * @returns the file that was sent: `download`, or one of its previous ones
 * @throws AppError `range_not_satisfiable` (416), `precondition_failed` (412), `validator_required` (428), or as the
 * file's opening did
 */
export async function sendDownload(ctx: ParameterizedContext, download: Download): Promise<Download> {
  const { file, representation, range, needsValidator } = selectPart(ctx, download)
  const { encoding, sizeBytes, sha256, open } = representation
  const etag = tagOf(representation)
  const validators = { etag, lastModified: toSeconds(file.lastModified) }
  if (!meetsPreconditions(ctx, validators)) {
    throw preconditionFailed(etag)
  }
  const described = {
    ...file.headers,
    ETag: etag,
    'Last-Modified': file.lastModified.toUTCString(),
    'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    Vary: 'Accept-Encoding',
  }
  if (isNotModified(ctx.headers, validators)) {
    ctx.status = 304
    ctx.set(described)
    return file
  }
  if (needsValidator) {
    throw validatorRequired()
  }
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
  return file
}

interface FileValidators {
  etag: string
  /** Whole seconds, as headers have them. */
  lastModified: Date
}

/** `If-Match`, by strong comparison; without it `If-Unmodified-Since`. */
function meetsPreconditions(ctx: ParameterizedContext, { etag, lastModified }: FileValidators): boolean {
  const match = ctx.get('If-Match')
  if (match !== '') {
    return match.trim() === '*' || readTags(match).includes(etag)
  }
  const sinceMs = parseHttpDate(ctx.get('If-Unmodified-Since'))
  return sinceMs === null || lastModified.getTime() <= sinceMs
}

const toSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000)
