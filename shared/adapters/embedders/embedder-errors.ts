import { type AppError, operatorError, unavailable } from '../../runtime/errors.js'

/** 503: the model does not answer in time. `retryAfterSeconds` is when to try again. */
export const embedderUnavailable = (reason: string, retryAfterSeconds = 5, cause?: unknown): AppError =>
  unavailable('embedder_unavailable', `The embedder is unavailable: ${reason}.`, retryAfterSeconds, cause)

/** The model cannot be used as it is configured. `message` says what was found and what to do. */
export const embedderRefused = (message: string, cause?: unknown): AppError =>
  operatorError('embedder_refused', message, cause)
