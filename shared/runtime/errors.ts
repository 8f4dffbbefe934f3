/** One refused parameter or field, and the accepted values. */
export interface FieldError {
  parameter: string
  message: string
}

/** Optional parts of an AppError. */
export interface AppErrorOptions {
  /** Response headers, for instance `Retry-After`. */
  headers?: Record<string, string>
  /** Members added to the problem document, for instance `suggestions`. */
  extensions?: Record<string, unknown>
  /** Every refused parameter, for a validation error. */
  errors?: FieldError[]
  /** The underlying error; logged, never sent. */
  cause?: unknown
}

/**
 * An error for a client of the API or an operator at the command line.
 *
 * `message` is written for that reader, names the remedy and has no internals. Any other error is a bug and is answered
 * with a plain 500.
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

/**
 * The message of an error for an operator: with its cause, where a backend failed. What was configured is left out: its
 * error may hold a password.
 *
 * @param message in place of that of the error
 */
export function operatorMessage(
  error: unknown,
  message = error instanceof Error ? error.message : String(error),
): string {
  if (!(error instanceof AppError && error.status === 503)) {
    return message
  }
  // Where the cause is an AppError, this message already says what it says.
  const cause = error.cause instanceof AppError ? '' : rootMessage(error.cause)
  return message.includes(cause) ? message : `${message} Cause: ${cause}`
}

/**
 * What clients of servers wrap says more than they do: `connect ECONNREFUSED`, not that a request has failed. Empty: nothing
 * is said. Checks members instead of the class: errors of the system may come from another realm.
 */
function rootMessage(error: unknown): string {
  const { message, cause } = Object(error)
  const within = cause === undefined ? '' : rootMessage(cause)
  return within || (typeof message === 'string' ? message : '')
}

/** 400: one or more parameters were refused; the problem lists each of them. */
export const invalidParameters = (errors: FieldError[]): AppError =>
  new AppError(
    400,
    'invalid_parameters',
    errors.map(({ parameter, message }) => `${parameter}: ${message}`).join(' '),
    { errors },
  )

/** 409: another process may have acquired the lock since, and be writing the same data. */
export const lockLost = (name: string): AppError =>
  new AppError(
    409,
    'lock_lost',
    `The lock ${name} was lost: this process could not renew it in time. Another one continues the work, or the next run.`,
  )

/** 503: a required backend is unavailable. `retryAfterSeconds` is when to try again. */
export const unavailable = (code: string, message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError(503, code, message, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause })

/** As `unavailable`, with a message that says when to try again after `state`, a sentence. */
export const tryAgain = (code: string, state: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  unavailable(code, `${state} Try again in ${retryAfterSeconds} s.`, retryAfterSeconds, cause)

/** 503: there is no index yet that could answer. */
export const indexBeingBuilt = (cause?: unknown): AppError =>
  unavailable('search_unavailable', 'The search index is being built. Try again in a moment.', 5, cause)

/** 503: the request would exceed its time limit. `message` names the remedy. */
export const queryTimeout = (message: string, cause?: unknown): AppError =>
  unavailable('query_timeout', message, 30, cause)

/** 503: the request would have to wait for too long; nothing was done for it. */
export const overloaded = (retryAfterSeconds: number): AppError =>
  tryAgain('overloaded', 'The service has more requests than it can answer in time.', retryAfterSeconds)

/** A mistake or state that only an operator can fix; the command or the start ends with this message. */
export const operatorError = (code: string, message: string, cause?: unknown): AppError =>
  new AppError(500, code, message, { cause })

/**
 * The code of an error from the operating system, for instance `ENOENT`; null for any other error. Checks members
 * instead of the class: such errors may come from another realm.
 */
export function systemErrorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error
    ? String(error.code)
    : null
}

/** Why a file could not be read or used, for the end of a message. */
export function fileFault(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EACCES':
      return 'this user may not read it'
    case 'EISDIR':
      return 'it is a folder'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** For `catch`: a file or folder that is not there is no error. @throws any other error */
export function ignoreMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') {
    throw error
  }
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
