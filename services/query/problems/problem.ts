import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { AppError, type FieldError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { problemError } from './errors.js'
import { isProblemCode } from './problem-codes.js'

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
