import { STATUS_CODES } from 'node:http'
import type { AppError } from '../../shared/errors.js'

/** The media type of every answer that is not what was asked for. */
export const problemType = 'application/problem+json'

/**
 * An error as the client sees it (RFC 9457).
 *
 * @param instance the path that was asked for
 */
export function problem(error: AppError, instance: string, requestId: string): Record<string, unknown> {
  return {
    type: `/docs/errors#${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    instance,
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.extensions,
  }
}
