import type { Middleware } from 'koa'
import type { AppError } from '../../../shared/errors.js'
import type { Endpoint } from '../endpoint.js'

/** What a path names, and the segments of the path that vary. */
export interface FoundEndpoint {
  endpoint: Endpoint
  segments: Record<string, string>
}

/** What the middleware tell each other about a request. */
export interface RequestState {
  requestId: string
  /** Why the address cannot be read; null when it can. */
  unreadable: string | null
  /** Under which name the client is counted; absent where nothing is counted. */
  client?: string
  /** Set when the client is over a limit. */
  overLimit?: AppError
  /** Absent when the path is no endpoint's. */
  found?: FoundEndpoint
}

export type QueryMiddleware = Middleware<RequestState>
