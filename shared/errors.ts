/** One parameter or field that was refused, and what would be accepted. */
export interface FieldError {
  parameter: string
  message: string
}

/** What an AppError may carry beside its status, code and words. */
export interface AppErrorOptions {
  /** Response headers, for instance `Retry-After`. */
  headers?: Record<string, string>
  /** Members added to the problem document, for instance `suggestions`. */
  extensions?: Record<string, unknown>
  /** Every refused parameter, for a validation error. */
  errors?: FieldError[]
  /** What went wrong underneath; logged, never sent. */
  cause?: unknown
}

/**
 * An error with a meaning for the reader: a client of the API or an operator at the command line.
 *
 * `message` is written for that reader and says what to do; it holds nothing internal. Anything thrown that is not
 * an AppError is a fault of ours and is answered as a plain 500.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly status: number
  /** Stable, snake_case: programs may branch on it. */
  readonly code: string
  readonly headers: Record<string, string>
  readonly extensions: Record<string, unknown>
  readonly errors: FieldError[] | undefined

  constructor(status: number, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
    this.extensions = options.extensions ?? {}
    this.errors = options.errors
  }
}

/** 400: one or more parameters were refused; the problem names each of them. */
export const invalidParameters = (errors: FieldError[]): AppError =>
  new AppError(
    400,
    'invalid_parameters',
    errors.map(({ parameter, message }) => `${parameter}: ${message}`).join(' '),
    { errors },
  )

/** 409: another has taken the lock of this name since, so that it may be writing what we were about to write. */
export const lockLost = (name: string): AppError =>
  new AppError(409, 'lock_lost', `The lock ${name} was lost to another process, which goes on with the work.`)

/** 503: a part that this answer needs is not there just now. `retryAfterSeconds` is when to ask again. */
export const unavailable = (code: string, message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError(503, code, message, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause })

/** 503: this would have taken longer than a request has. `message` names what to ask for instead. */
export const queryTimeout = (message: string, cause?: unknown): AppError =>
  unavailable('query_timeout', message, 30, cause)

/** An operator's mistake or a state that only an operator can mend; the command or the start ends with this message. */
export const operatorError = (code: string, message: string, cause?: unknown): AppError =>
  new AppError(500, code, message, { cause })
