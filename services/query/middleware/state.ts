import type { Middleware } from 'koa'
import type { AppError } from '../../../shared/errors.js'

/** What the middleware tell each other about a request. */
export interface RequestState {
  requestId: string
  /** Why the address cannot be read; null when it can. */
  unreadable: string | null
  /** Under which name the client is counted; absent where nothing is counted. */
  client?: string
  /** Set when the client is over a limit. */
  overLimit?: AppError
  /** The endpoint that answers, for the log. */
  endpoint?: string
}

export type QueryMiddleware = Middleware<RequestState>
