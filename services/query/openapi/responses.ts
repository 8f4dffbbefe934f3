import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { type Endpoint, isPostOnly } from '../request/endpoint.js'
import { answerWithFields } from '../request/parameters.js'
import { type ProblemCode, problemCodes } from '../request/problem-codes.js'
import { Problem, problemType } from '../request/problems.js'
import { commonProblems, type EndpointDocs, type ResponseHeader, responseHeaders } from './documented-as.js'
import allExamples from './examples.json' with { type: 'json' }

const headersOfAll = ['X-Request-Id', 'Cache-Control'] as const

/** The headers of a response whose request was counted; malformed requests are refused before. */
const limitHeaders = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const

const headersOfFound = [...headersOfAll, ...limitHeaders, 'Link', 'ETag', 'Vary'] as const

/** The headers of a problem in addition to `headersOfAll`, by status. */
const headersOfProblem: Record<number, readonly ResponseHeader[]> = {
  307: [...limitHeaders, 'Location'],
  308: ['Location'],
  403: limitHeaders,
  404: limitHeaders,
  405: [...limitHeaders, 'Allow'],
  410: limitHeaders,
  412: limitHeaders,
  415: [...limitHeaders, 'Accept'],
  416: [...limitHeaders, 'Content-Range'],
  428: limitHeaders,
  429: [...limitHeaders, 'Retry-After'],
  503: ['Retry-After'],
}

/** Every response of an endpoint to a method, by status. POST has no validators. */
export function responsesOf(endpoint: Endpoint, docs: EndpointDocs, method: 'get' | 'post'): ZodOpenApiResponsesObject {
  const isPost = method === 'post'
  const headers: ResponseHeader[] = [
    ...headersOfFound.filter((name) => !isPost || name !== 'ETag'),
    ...(docs.headers ?? []),
  ]
  const content = contentOf(endpoint, docs)
  return {
    200: { description: 'Found.', headers: headerReferences(headers), content },
    ...(docs.ranges && {
      206: {
        // No schema: a part does not have the shape of the whole file, and with a schema for any bytes, generated
        // clients would treat the whole file as bytes too.
        description: 'The requested part, in the media type of the whole file.',
        headers: headerReferences([...headers, 'Content-Range']),
      },
    }),
    ...(isPost ? {} : { 304: { $ref: '#/components/responses/NotModified' } }),
    ...problemReferences([
      ...commonProblems,
      ...docs.errors,
      ...(isPost ? (['unsupported_media_type'] as const) : []),
      ...(isPostOnly(endpoint) ? (['origin_refused'] as const) : []),
    ]),
  }
}

function contentOf(
  { name, query, produces, response }: Endpoint,
  docs: EndpointDocs,
): Record<string, ZodOpenApiMediaTypeObject> {
  const answer = 'fields' in query.shape && response instanceof z.ZodObject ? answerWithFields(response) : response
  const content = docs.content ?? { [mediaType(produces ?? jsonType)]: answer }
  const example = examples[name]?.answer
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema, ...(type === jsonType && example !== undefined ? { example } : {}) },
    ]),
  )
}

const jsonType = 'application/json'

/** A media type without its parameters. */
const mediaType = (contentType: string): string => contentType.split(';')[0] ?? contentType

/** References; where a status has further codes, the description lists those of the endpoint. */
const problemReferences = (codes: ProblemCode[]): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    byStatus(codes).map(([status, here]) => {
      const description = describeCodes(here)
      return [
        status,
        {
          $ref: `#/components/responses/${problemName(status)}`,
          ...(description === describeCodes(codesOf(status)) ? {} : { description }),
        },
      ]
    }),
  )

const allCodes = Object.keys(problemCodes) as ProblemCode[]

const codesOf = (status: number): ProblemCode[] => allCodes.filter((code) => problemCodes[code].status === status)

/** The meaning of these codes, in the order of the table. */
const describeCodes = (codes: ProblemCode[]): string =>
  allCodes
    .filter((code) => codes.includes(code))
    .map((code) => `\`${code}\`: ${problemCodes[code].meaning}`)
    .join('\n\n')

const problemName = (status: number): string => (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '')

/** The shared responses: one for each status of a problem, and the 304. */
export const responseComponents = (): Record<string, ZodOpenApiResponseObject> => ({
  NotModified: {
    description: 'The copy of the client is current.',
    headers: headerReferences(headersOfFound),
  },
  ...Object.fromEntries(
    byStatus(allCodes).map(([status, codes]) => [problemName(status), problemResponse(status, codes)]),
  ),
})

const problemResponse = (status: number, codes: ProblemCode[]): ZodOpenApiResponseObject => ({
  description: describeCodes(codes),
  headers: headerReferences([...headersOfAll, ...(headersOfProblem[status] ?? [])]),
  content: {
    [problemType]: {
      // One schema for every status: of a narrower one, many generators make no client.
      schema: Problem,
    },
  },
})

/** Codes by their status, in its order. */
function byStatus(codes: ProblemCode[]): [status: number, codes: ProblemCode[]][] {
  const statuses = [...new Set(codes.map((code) => problemCodes[code].status))].sort((a, b) => a - b)
  return statuses.map((status) => [status, codesOf(status).filter((code) => codes.includes(code))])
}

const headerReferences = (names: readonly ResponseHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The shared headers. A header that is named by a response is always present. */
export const headerComponents = () =>
  Object.fromEntries(
    Object.entries(responseHeaders).map(([name, schema]) => [name, schema.meta({ header: { required: true } })]),
  )

/** A request and its response on the sample catalog; long lists are shortened. */
export interface Example {
  /** Path and query. */
  request: string
  /** The body of a POST; absent: it is a GET. */
  body?: unknown
  /** The body of the response; absent: not JSON. */
  answer?: unknown
}

/** The examples in the document, by the endpoint's name. A test sends each of these requests. */
export const examples: { [endpointName: string]: Example } = allExamples
