import type { ParameterizedContext } from 'koa'
import type { Client } from '../../../shared/ports/client.js'
import type { Endpoint } from '../http/endpoint.js'
import type { ToolCall } from '../http/reply.js'

/** The endpoint of a path, with its path parameters. */
export interface FoundEndpoint {
  endpoint: Endpoint
  segments: Record<string, string>
}

/** What the steps of a request share about it. */
export interface RequestState {
  requestId: string
  /** The headers of any answer to this request, names and values in turn. */
  headers: string[]
  /** Why the URL cannot be read; null when it can. */
  targetError: string | null
  /** Absent where nothing is counted. */
  client?: Client
  /** Absent when the path belongs to no endpoint. */
  found?: FoundEndpoint
  /** The tool that was called over MCP; absent for other requests. */
  tool?: ToolCall
}

export type RequestContext = ParameterizedContext<RequestState>
