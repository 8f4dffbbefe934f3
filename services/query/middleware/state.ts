import type { Middleware } from 'koa'
import type { AppError } from '../../../shared/runtime/errors.js'
import type { Endpoint } from '../http/endpoint.js'

/** The endpoint of a path, with its path parameters. */
export interface FoundEndpoint {
  endpoint: Endpoint
  segments: Record<string, string>
}

/** The state that middleware share about a request. */
export interface RequestState {
  requestId: string
  /** Why the URL cannot be read; null when it can. */
  targetError: string | null
  /** The key under which the client is counted; absent where nothing is counted. */
  client?: string
  /** Set when the client is over a limit. */
  overLimit?: AppError
  /** Absent when the path belongs to no endpoint. */
  found?: FoundEndpoint
}

export type QueryMiddleware = Middleware<RequestState>
