import { AppError, type AppErrorOptions } from '../../shared/errors.js'
import type { RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import { type ProblemCode, problemCodes } from './problem-codes.js'

/** An error of a code that clients have been told of; the status follows from it. */
export const problemError = (code: ProblemCode, message: string, options?: AppErrorOptions): AppError =>
  new AppError(problemCodes[code].status, code, message, options)

/** 308: the same thing is at another path now. */
export const movedTo = (path: string, message: string): AppError =>
  problemError('moved', message, { headers: { Location: path, 'Cache-Control': 'public, max-age=60' } })

/** 400: the address itself cannot be read. */
export const malformedUrl = (message: string): AppError => problemError('malformed_url', message)

/** 404: no endpoint has this path. */
export const unknownPath = (paths: string[]): AppError =>
  problemError('unknown_path', `Nothing is at this path. There is: ${paths.join(', ')}.`)

/** What may be done with any path. */
export const allowedMethods = 'GET, HEAD, OPTIONS'

/** 405: the catalog is read-only. */
export const methodNotAllowed = (method: string): AppError =>
  problemError('method_not_allowed', `The catalog is read-only: ${method} is not possible. Use GET or HEAD.`, {
    // What the request goes on to send is not read.
    headers: { Allow: allowedMethods, Connection: 'close' },
  })

/** 413: nothing here takes a body. */
export const bodyTooLarge = (): AppError =>
  problemError('body_too_large', 'The catalog is read-only and takes no bodies. Send the request without.', {
    headers: { Connection: 'close' },
  })

/** 410: what lies behind this position is not kept any more, or it is none of this log. */
export const changesGone = (since: number): AppError =>
  problemError(
    'changes_gone',
    `The changes behind ${since} are not kept any more. Start again: with the files of /api/v1/exports and the ` +
      'changesSince that they name, or with /api/v1/changes without since. Drop what you do not find there.',
  )

/** 414: longer than any address that means something here. */
export const urlTooLong = (maxLength: number): AppError =>
  problemError('url_too_long', `The path and query are longer than ${maxLength} characters. Shorten them.`)

/** 404: no export file can be called so. */
export const unknownExportFile = (): AppError =>
  problemError(
    'export_unknown',
    'No export file is called so. /api/v1/exports lists those that are kept, with their addresses.',
  )

/** 410: the snapshot is not kept any more; `current` is where the present file is. */
export const exportFileGone = (snapshot: string, current: string): AppError =>
  problemError(
    'export_gone',
    `The snapshot ${snapshot} is not kept any more. The present file is at ${current}, and /api/v1/exports lists what is kept.`,
    { extensions: { current } },
  )

/** 412: the client asked for a file only as it was before. */
export const preconditionFailed = (etag: string): AppError =>
  problemError('precondition_failed', `The file has changed: its ETag is ${etag}. Ask for it without the condition.`)

/** 428: a part of an address whose content changes, which names no file. */
export const validatorRequired = (): AppError =>
  problemError(
    'validator_required',
    'The file at this address changes with each snapshot: a part of it could be joined to a part of another file. ' +
      'Send If-Range with the ETag of the part that you have, or go on at the address that its Content-Location names; ' +
      'else delete the part and download the whole file.',
  )

/** 416: the part that was asked for begins behind the end of the file. */
export const rangeNotSatisfiable = (sizeBytes: number): AppError =>
  problemError('range_not_satisfiable', `The file has ${sizeBytes} bytes. Ask for a range within them.`, {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  })

/** 429: the client's quota is used up. `retryAfterSeconds` is when a request will be let in again. */
export const tooManyRequests = ({ name, quota, windowSeconds }: RateLimitPolicy, retryAfterSeconds: number): AppError =>
  problemError(
    'rate_limited',
    `This address may ${name === 'export' ? 'download' : 'send'} ${quota} ${name === 'export' ? 'exports' : 'requests'}` +
      ` in any ${windowSeconds} seconds. Wait ${retryAfterSeconds} s, then go on` +
      (name === 'export'
        ? '; a snapshot changes rarely, so keep the file.'
        : '; for the whole catalog use /api/v1/export.'),
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  )
