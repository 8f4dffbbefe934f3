import type { z } from 'zod'
import type { ZodOpenApiMetadata, ZodOpenApiOverride } from 'zod-openapi'
import type { ProblemCode } from '../problems/problem-codes.js'
import type { ResponseHeader } from './headers.js'

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

/**
 * The pattern of a comma list. It is documented as a string: generated clients would repeat the parameter for each
 * entry of an array.
 *
 * @param entry pattern of one entry, without anchors
 * @param maxEntries maximum number of entries; absent: no limit
 */
export const commaListPattern = (entry: string, maxEntries?: number): string =>
  `^(?:${entry})(?:,(?:${entry}))${maxEntries === undefined ? '*' : `{0,${maxEntries - 1}}`}$`

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
