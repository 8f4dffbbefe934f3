import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { AppError } from '../../shared/errors.js'

/** The media type of every answer that is not what was asked for. */
export const problemType = 'application/problem+json'

/** A path is repeated to its sender at most to this length. */
const maxInstanceLength = 300

/** An error as the client sees it (RFC 9457). Some codes have members of their own beside these. */
export const Problem = z
  .looseObject({
    type: z.string().describe('address of the explanation of this code, relative to the answer'),
    title: z.string().describe("the status' name"),
    status: z.int().describe('as in the status line'),
    detail: z.string().describe('what happened and what to do, for people'),
    instance: z.string().describe('the path that was asked for'),
    code: z.string().describe('what happened, for programs: stable'),
    requestId: z.string().describe("the request's name in our log"),
    errors: z
      .array(
        z.object({
          parameter: z.string().describe('its name'),
          message: z.string().describe('what is wrong with it, and what would be accepted'),
        }),
      )
      .optional()
      .describe('of `invalid_parameters`: every parameter that was refused'),
    suggestions: z.array(z.string()).optional().describe('of `skill_unknown`: ids that look like the one asked for'),
    current: z.string().optional().describe('of `export_gone`: the address of the present file'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })
type Problem = z.infer<typeof Problem>

/**
 * An error as the client sees it.
 *
 * @param instance the path that was asked for
 */
export function problem(error: AppError, instance: string, requestId: string): Problem {
  return {
    type: `/docs/errors#${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    instance: instance.slice(0, maxInstanceLength),
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.extensions,
  }
}
