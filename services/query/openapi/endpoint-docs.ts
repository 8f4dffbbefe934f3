import type { z } from 'zod'
import type { ProblemCode } from '../problem-codes.js'
import type { ResponseHeader } from './headers.js'

/** The groups in which the documentation shows the endpoints, in this order. */
export const tags = {
  Skills: 'Look skills up: list, search, one of them.',
  Catalog: 'The catalog as a whole: figures, downloads, changes.',
  Discovery: 'For programs and people that come here for the first time, for crawlers and for feed readers.',
} as const

/** What the documentation says of an endpoint that its schemas cannot tell. */
export interface EndpointDocs {
  tag: keyof typeof tags
  /** More than the summary; Markdown. */
  description?: string
  /** The problems that it may answer with, beside those of every endpoint (`commonProblems`). */
  errors: ProblemCode[]
  /** Headers of every 200, beside those of every answer. */
  headers?: ResponseHeader[]
  /** By media type what a 200 holds, where that is not only JSON by `response` or a text by `produces`. */
  content?: Record<string, z.ZodType>
  /** Set where parts of a 200 can be asked for by `Range`. */
  ranges?: true
}

/** What any request may be answered with, whatever it asks for. */
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
  'service_unavailable',
] as const satisfies ProblemCode[]
