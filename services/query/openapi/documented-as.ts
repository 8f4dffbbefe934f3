import { z } from 'zod'
import type { ZodOpenApiMetadata, ZodOpenApiOverride } from 'zod-openapi'
import type { ProblemCode } from '../request/problem-codes.js'

const wholeNumber = z.string().regex(/^\d+$/)

/** Every header of the API, with its schema and description. Browsers may read all of them. */
export const responseHeaders = {
  'X-Request-Id': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("The id of the request in the server's log: the client's own, if it was well formed."),
  'RateLimit-Policy': z
    .string()
    .describe('The quotas that the request consumed, for instance `"default";q=100;w=60, "export";q=10;w=60`.'),
  RateLimit: z
    .string()
    .regex(/^"[a-z]+";r=\d+;t=\d+$/)
    .describe(
      'The tighter quota: `r` requests are left, `t` seconds until it is full again or admits the next request.',
    ),
  'X-RateLimit-Limit': wholeNumber.describe('The tighter quota: requests per minute.'),
  'X-RateLimit-Remaining': wholeNumber.describe('The tighter quota: requests left.'),
  'X-RateLimit-Reset': wholeNumber.describe('The tighter quota: when it is full again, in seconds since 1970.'),
  'Retry-After': z
    .string()
    .regex(/^[1-9]\d*$/)
    .describe('Seconds until a request will be admitted, or should be tried, again.'),
  'Cache-Control': z.string().describe('How long caches may keep the response.'),
  ETag: z
    .string()
    .regex(/^(W\/)?"[^"]+"$/)
    .describe(
      'Entity tag, for If-None-Match: strong, so that it names these bytes, and is good for If-Range. That of a search ' +
        'is weak (W/): tookMs may differ between responses that have it.',
    ),
  Vary: z.string().describe('The request headers that the response depends on.'),
  Link: z
    .string()
    .describe(
      '`rel="license"`: the terms of use; `rel="next"`: the next page; `rel="canonical"`: the versioned URL. All are absolute.',
    ),
  Age: wholeNumber.describe('Seconds since the statistics were fetched.'),
  'Server-Timing': z
    .string()
    .regex(/^search;dur=\d+(\.\d)?$/)
    .describe('The duration of the search, milliseconds.'),
  Location: z.string().describe('The new URL.'),
  Allow: z.string().describe('The allowed methods.'),
  Accept: z.string().describe('The media type that the body of a request must have.'),
  'Accept-Ranges': z.literal('bytes').describe('Parts of the file can be requested with Range.'),
  'Content-Range': z.string().describe('The range of bytes in the body, and the size of the file.'),
  'Content-Disposition': z.string().describe('The name for the saved file.'),
  'Content-Location': z.string().describe('The URL whose bytes never change.'),
  'Last-Modified': z.string().describe('When the file was written.'),
  'Repr-Digest': z
    .string()
    .regex(/^sha-256=:[A-Za-z0-9+/]{43}=:$/)
    .describe('SHA-256 of the whole file as it is encoded (RFC 9530).'),
  'X-Total-Count': wholeNumber.describe('Records in the catalog.'),
  'X-Export-Count': wholeNumber.describe('Records in the file.'),
  'X-Export-Truncated': z.enum(['true', 'false']).describe('Whether records were omitted.'),
} satisfies Record<string, z.ZodType>

/** The name of a documented header. */
export type ResponseHeader = keyof typeof responseHeaders

/** The JSON Schema of a value in the document. */
type DocumentedSchema = Extract<ZodOpenApiMetadata['override'], object>

/**
 * Sets the documented schema of a parameter: its own schema is one of texts, but generated clients should take the
 * number or time that the text stands for.
 */
export const documentedAs = (schema: DocumentedSchema): ZodOpenApiMetadata => ({
  override: ({ jsonSchema }) => {
    for (const name of Object.keys(jsonSchema)) {
      delete jsonSchema[name as keyof typeof jsonSchema]
    }
    Object.assign(jsonSchema, schema)
  },
})

/** Cleans up the converted schemas: removes noise, and restores what the converter drops. */
export const tidy: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod
  if (def.type === 'default' && jsonSchema.default === undefined) {
    jsonSchema.default = def.defaultValue
  }
  if (jsonSchema.format === 'date-time') {
    // Redundant with the format, and the pattern is five lines long.
    delete jsonSchema.pattern
  }
  // Useful as the limit of a parameter, noise in a response.
  if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum
  }
  // Marks for our own parser of queries, and not for clients.
  for (const name of ['repeatable', 'formField']) {
    delete (jsonSchema as Record<string, unknown>)[name]
  }
}

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
