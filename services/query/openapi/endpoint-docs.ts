import type { z } from 'zod'
import type { ProblemCode } from '../problems/problem-codes.js'
import type { ResponseHeader } from './headers.js'

/** The groups of endpoints in the documentation, in this order. */
export const tags = {
  Skills: 'List, search and look up skills.',
  Catalog: 'The catalog as a whole: statistics, downloads, changes.',
  Clients: 'In the shapes that clients of other catalogs ask for.',
  Discovery: 'For new clients and their developers, crawlers and feed readers.',
} as const

/** The documentation of an endpoint that its schemas cannot express. */
export interface EndpointDocs {
  tag: keyof typeof tags
  /** More than the summary; Markdown. */
  description?: string
  /** The problems of the endpoint, in addition to those of every endpoint (`commonProblems`). */
  errors: ProblemCode[]
  /** The headers of a 200, in addition to those of every response. */
  headers?: ResponseHeader[]
  /** The schemas of a 200 by media type, where it is not only JSON by `response` or a text by `produces`. */
  content?: Record<string, z.ZodType>
  /** Set where a 200 supports `Range`. */
  ranges?: true
}

/** The problems of any request. */
export const commonProblems = [
  'invalid_parameters',
  'malformed_request',
  'malformed_url',
  'request_timeout',
  'body_too_large',
  'url_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'service_unavailable',
] as const satisfies ProblemCode[]
