import { AppError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { problemError } from './errors.js'
import { isProblemCode } from './problem-codes.js'

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
