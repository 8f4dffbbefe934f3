import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import { AppError, type AppErrorOptions, type FieldError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { formatCount } from '../../../shared/text/format-numbers.js'
import { isProblemCode, type ProblemCode, problemCodes } from './problem-codes.js'

/** The media type of every error response. */
export const problemType = 'application/problem+json'

/** Characters of a path that are returned to its sender. */
const maxInstanceLength = 300

/** An error as the client sees it (RFC 9457). Some codes have further members. */
export const Problem = z
  .looseObject({
    type: z.string().describe('URL of the explanation of this code, relative to the response'),
    title: z.string().describe('the name of the status'),
    status: z.int().describe('the HTTP status'),
    detail: z.string().describe('the cause and the remedy, for people'),
    instance: z.string().describe('the requested path'),
    code: z.string().describe('the stable code of the error, for programs'),
    requestId: z.string().describe("the id of the request in the server's log"),
    errors: z
      .array(
        z.object({
          parameter: z.string().describe('the name of the parameter'),
          message: z.string().describe('what is wrong, and what is accepted'),
        }),
      )
      .optional()
      .describe('with `invalid_parameters`: every refused parameter'),
    suggestions: z
      .array(z.string())
      .optional()
      .describe('with `skill_unknown`: ids that are similar to the requested one'),
    errorCode: z
      .string()
      .optional()
      .describe('where clients of Agentic Resource Discovery ask: the code that its specification has for the status'),
    message: z.string().optional().describe('where clients of Agentic Resource Discovery ask: the same as `detail`'),
    current: z.string().optional().describe('with `export_gone`: the path of the current file'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })
export type Problem = z.infer<typeof Problem>

/** Messages repeat what the client sent. */
const visible = ({ parameter, message }: FieldError): FieldError => ({
  parameter: visibleText(parameter),
  message: visibleText(message),
})

/**
 * An error as the client sees it.
 *
 * @param instance the requested path
 */
export function problem(error: AppError, instance: string, requestId: string): Problem {
  return {
    type: `/docs/errors#${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: visibleText(error.message),
    instance: instance.slice(0, maxInstanceLength),
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors.map(visible) }),
    ...error.extensions,
  }
}

/**
 * The error for a client: an AppError of a documented code as it is. Any other error is logged in full, and the
 * client gets only the request's id.
 */
export function toProblemError(thrown: unknown, requestId: string, log: Logger): AppError {
  if (thrown instanceof AppError && thrown.status !== 500 && isProblemCode(thrown.code)) {
    return thrown
  }
  log.error({ requestId, err: thrown }, 'request failed')
  return problemError(
    'internal_error',
    `Something went wrong on our side. Try again; if it fails again, report request ${requestId}.`,
  )
}

/** An error of a documented code, with the status of that code. */
export const problemError = (code: ProblemCode, message: string, options?: AppErrorOptions): AppError =>
  new AppError(problemCodes[code].status, code, message, options)

/** 308: the resource has another path now. */
export const movedTo = (path: string, message: string): AppError =>
  problemError('moved', message, { headers: { Location: path, 'Cache-Control': 'public, max-age=60' } })

/** 400: the URL is malformed. */
export const malformedUrl = (message: string): AppError => problemError('malformed_url', message)

/** The value of `Allow` for a path with these methods. */
export const allowed = (methods: readonly string[]): string => [...methods, 'OPTIONS'].join(', ')

/** 405: the catalog is read-only, or the path is for other methods. */
export const methodNotAllowed = (method: string, methods: readonly string[]): AppError =>
  problemError(
    'method_not_allowed',
    `The catalog is read-only: ${method} is not allowed${methods.includes('POST') ? ' at this path' : ''}. ` +
      `Use ${methods.join(' or ')}.`,
    // The rest of the request is not read.
    { headers: { Allow: allowed(methods), Connection: 'close' } },
  )

/** 413: larger than the bodies that the path takes. @param maxBytes 0: it takes none */
export const bodyTooLarge = (maxBytes: number): AppError =>
  problemError(
    'body_too_large',
    maxBytes === 0
      ? 'The catalog is read-only and takes no bodies. Send the request without one.'
      : `The body is larger than ${maxBytes} bytes. Send a smaller one.`,
    { headers: { Connection: 'close' } },
  )

/** 404: no export file has this name. */
export const unknownExportFile = (): AppError =>
  problemError(
    'export_unknown',
    'No export file has this name. /api/v1/exports lists the available files with their paths.',
  )

/** 410: the snapshot is not kept any more; `current` is the path of the current file. */
export const exportFileGone = (snapshot: string, current: string): AppError =>
  problemError(
    'export_gone',
    `The snapshot ${snapshot} is not kept any more. The current file is at ${current}, and /api/v1/exports lists the available ones.`,
    { extensions: { current } },
  )

/** What a model does about `rate_limited`. @param seconds until a request will be admitted */
export const waitForQuota = (seconds: number): string =>
  `Too many requests in the last minute. Wait ${seconds} s, then continue.`

/** 429: the client's quota is used up. `retryAfterSeconds`: until a request will be admitted. */
export const tooManyRequests = ({ name, quota, windowSeconds }: RateLimitPolicy, retryAfterSeconds: number): AppError =>
  problemError(
    'rate_limited',
    `This client address may ${name === 'export' ? 'start' : 'send'} ${formatCount(quota, name === 'export' ? 'downloads' : 'requests')}` +
      ` in any ${windowSeconds} seconds. Wait ${retryAfterSeconds} s, then continue` +
      (name === 'export'
        ? '; a snapshot changes rarely, so keep the file.'
        : name === 'dataset'
          ? '; a file never changes, so keep it.'
          : '; /api/v1/exports lists files with every record.'),
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  )
