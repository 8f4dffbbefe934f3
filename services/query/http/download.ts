import type { ParameterizedContext } from 'koa'
import { parseHttpDate } from '../../../shared/runtime/parse-http-date.js'
import { preconditionFailed, rangeNotSatisfiable, validatorRequired } from '../problems/errors.js'
import { isNotModified } from './conditional.js'
import { type Download, readTags, selectPart, tagOf } from './select-part.js'

/**
 * Sends a file, a part of it, or a 304.
 *
 * Preconditions are evaluated in the order of RFC 9110, section 13.2.2. The entity tag is the hash of the bytes, so
 * each encoding has its own; `Repr-Digest` (RFC 9530) is that of the whole file, also when a part is sent.
 *
 * @returns the file that was sent: `download`, or one of its previous ones
 * @throws AppError `range_not_satisfiable` (416), `precondition_failed` (412), `validator_required` (428), and the
 * errors of opening the file
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
  // Opened before any header is set, so that a problem does not have the headers of the file.
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
  /** In whole seconds, the resolution of HTTP dates. */
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
