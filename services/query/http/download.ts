import type { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import { parseHttpDate } from '../../../shared/runtime/parse-http-date.js'
import { partElsewhere, preconditionFailed, rangeNotSatisfiable, validatorRequired } from '../problems/errors.js'
import { isNotModified } from './conditional.js'
import { type Download, readTags, selectPart, tagOf } from './select-part.js'

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
  const validators = { etag, lastModified: toSeconds(file.lastModified) }
  if (!meetsPreconditions(ctx, validators)) {
    throw preconditionFailed(etag)
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
    throw partElsewhere(location)
  }
  if (unnamed !== null) {
    throw validatorRequired()
  }
  if (range === 'unsatisfiable') {
    throw rangeNotSatisfiable(sizeBytes)
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
