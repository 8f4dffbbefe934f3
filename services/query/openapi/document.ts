import { z } from 'zod'
import { createDocument, type oas31, type ZodOpenApiOperationObject, type ZodOpenApiPathItemObject } from 'zod-openapi'
import { projectVersion } from '../../../shared/runtime/project-root.js'
import type { Endpoint } from '../request/endpoint.js'
import { isFormField } from '../request/parse-query.js'
import { type EndpointDocs, tags, tidy } from './documented-as.js'
import { examples, headerComponents, responseComponents, responsesOf } from './responses.js'

/** The version of the API: that of the project. */
export const apiVersion = projectVersion()

/** The document as plain JSON. */
export type OpenApiDocument = ReturnType<typeof createDocument>

const description = `A public, read-only HTTP API over a catalog of skills for AI agents. No key, no account.

- **Data** may be used under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), as \`Link\` with \`rel="license"\` says; the text of a skill has a licence of its own.
- **Errors** are problem documents ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)); [the error codes](/docs/errors) list the remedies.
- **Limits** are in \`RateLimit\` and \`X-RateLimit-*\` of every response to a request that counts. Over the limit: 429 with \`Retry-After\`.
- **Conditional**: every 200 of GET, but for health checks, has an \`ETag\`; send it back as \`If-None-Match\`. It names the bytes of the body (strong), but for a search, whose \`tookMs\` differs between equal answers (weak, \`W/"…"\`).
- **HEAD** is answered wherever GET is, with the same headers. Unknown and repeated parameters are refused.
- Times are ISO-8601 in UTC; absent values are \`null\`, and omitted only where \`fields\` does not name them.`

/** Creates the OpenAPI 3.1 document of these endpoints, from the schemas that validate requests and shape responses. */
export function openApiDocument(endpoints: Endpoint[]): OpenApiDocument {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Skill Catalog',
        version: apiVersion,
        description,
        license: { name: 'CC BY 4.0 (data)', url: 'https://creativecommons.org/licenses/by/4.0/' },
      },
      servers: [{ url: '/' }],
      tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
      paths: Object.fromEntries(endpoints.flatMap(pathItems)),
      components: { headers: headerComponents(), responses: responseComponents() },
    },
    { override: tidy },
  )
  for (const endpoint of endpoints.filter(({ docs }) => docs !== null)) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const { get, post } = document.paths?.[templateOf(path)] ?? {}
      completeParameters(get?.parameters ?? [], endpoint)
      if (endpoint.takesJson) {
        const { schema } = (post?.requestBody as oas31.RequestBodyObject | undefined)?.content[jsonType] ?? {}
        describeMembers((schema ?? {}) as oas31.SchemaObject, endpoint)
      }
    }
  }
  return document
}

/** The parameters, without duplicate descriptions and with the values of the endpoint's example. */
function completeParameters(parameters: (oas31.ParameterObject | oas31.ReferenceObject)[], endpoint: Endpoint): void {
  const example = new URL(examples[endpoint.name]?.request ?? '/', 'http://localhost')
  const segments = example.pathname.split('/')
  for (const parameter of parameters) {
    if (!('in' in parameter) || parameter.schema === undefined) {
      continue
    }
    // The parameter has the description already.
    delete (parameter.schema as oas31.SchemaObject).description
    if (parameter.in === 'header') {
      continue
    }
    const { name } = parameter
    if (isFormField(endpoint.query.shape[name])) {
      parameter.schema = orEmpty(parameter.schema)
    }
    const { type = 'string' } = parameter.schema as oas31.SchemaObject
    const text =
      parameter.in === 'path' ? segments[endpoint.path.split('/').indexOf(`:${name}`)] : example.searchParams.get(name)
    if (text) {
      parameter.example =
        type === 'array'
          ? example.searchParams.getAll(name).flatMap((value) => value.split(','))
          : type === 'string'
            ? text
            : JSON.parse(text)
    }
  }
}

/**
 * The members of a body, with the descriptions that parameters have elsewhere. The description states the default: to some
 * generated clients a member with a default is required.
 */
function describeMembers({ properties = {}, required = [] }: oas31.SchemaObject, { query }: Endpoint): void {
  for (const [name, property] of Object.entries(properties) as [string, oas31.SchemaObject][]) {
    const { description = '' } = query.shape[name] as z.ZodType
    const { default: value, ...schema } = property
    properties[name] = {
      ...(required.includes(name) ? schema : orNull(schema)),
      description: value === undefined ? description : `${description}; default: ${JSON.stringify(value)}`,
    }
  }
}

/** A member of null is absent. */
function orNull(schema: oas31.SchemaObject): oas31.SchemaObject {
  const { type, enum: values, anyOf } = schema
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(values === undefined ? {} : { enum: [...values, null] }),
    ...(anyOf === undefined ? {} : { anyOf: [...anyOf, { type: 'null' }] }),
  }
}

/** An empty text, which forms send for an empty field, and one of spaces, is valid as well. */
function orEmpty(schema: oas31.SchemaObject | oas31.ReferenceObject): oas31.SchemaObject {
  const given = schema as oas31.SchemaObject
  if (given.enum !== undefined) {
    return { ...given, enum: ['', ...given.enum] }
  }
  return given.items === undefined
    ? { anyOf: [given, { type: 'string', pattern: '^\\s*$' }] }
    : { ...given, items: orEmpty(given.items) }
}

/** The endpoint's path and its aliases, each with its operation. */
function pathItems(endpoint: Endpoint): [path: string, item: ZodOpenApiPathItemObject][] {
  const { docs, path, aliases = [] } = endpoint
  return docs === null
    ? []
    : [path, ...aliases].map((name) => [
        templateOf(name),
        {
          ...(endpoint.takes === undefined && { get: operation(endpoint, docs, name === path ? null : path) }),
          ...((endpoint.takes ?? endpoint.takesJson) && { post: postOperation(endpoint, docs) }),
        },
      ])
}

/** A path as OpenAPI writes it. */
const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** @param original the path that this one is an alias of; null: it is no alias */
function operation(endpoint: Endpoint, docs: EndpointDocs, original: string | null): ZodOpenApiOperationObject {
  const { name, summary, params, query } = endpoint
  const text = original === null ? docs.description : `The same as \`${original}\`.`
  return {
    operationId: original === null ? camelCase(name) : `${camelCase(name)}V1`,
    summary,
    ...(text === undefined ? {} : { description: text }),
    tags: [docs.tag],
    requestParams: {
      path: params,
      query,
      header: docs.ranges ? RequestHeaders.extend(RangeHeaders.shape) : RequestHeaders,
    },
    responses: responsesOf(endpoint, docs, 'get'),
  }
}

/** The operation of an endpoint that is asked by POST only, or the same as by GET with its parameters as JSON. */
function postOperation(endpoint: Endpoint, docs: EndpointDocs): ZodOpenApiOperationObject {
  const { name, summary, query, takes } = endpoint
  const sameByGet = {
    operationId: `${camelCase(name)}ByPost`,
    summary: `${summary} by POST`,
    description:
      'The same as by GET, with the same parameters as a JSON object: for a text that is too long for a URL. The answer ' +
      'has no ETag, and caches do not keep it.',
  }
  const { body: example } = examples[name] ?? {}
  return {
    ...(takes === undefined
      ? sameByGet
      : { operationId: camelCase(name), summary, description: docs.description ?? '' }),
    tags: [docs.tag],
    requestParams: { header: RequestHeaders.pick({ 'X-Request-Id': true }) },
    requestBody: {
      required: true,
      content: { [jsonType]: { schema: takes ?? query.strict(), ...(example === undefined ? {} : { example }) } },
    },
    responses: responsesOf(endpoint, docs, 'post'),
  }
}

const jsonType = 'application/json'

const RequestHeaders = z.object({
  'If-None-Match': z.string().optional().describe('`ETag` of your copy: 304 when it is current.'),
  'X-Request-Id': z.string().optional().describe('An id for the request in the server log: letters, digits, `_`, `-`.'),
})

const RangeHeaders = z.object({
  Range: z
    .string()
    .optional()
    .describe('One range of bytes, `bytes=100-`. Anything else is answered with the whole file.'),
  'If-Range': z
    .string()
    .optional()
    .describe(
      '`ETag` of the part that you have. When the file is another one, it is sent whole. A date is not supported.',
    ),
  'If-Modified-Since': z.string().optional().describe('`Last-Modified` of your copy: 304 when it is current.'),
  'If-Match': z.string().optional().describe('`ETag` of the file that you want: 412 when it is another one.'),
  'If-Unmodified-Since': z
    .string()
    .optional()
    .describe('`Last-Modified` of the file that you want: 412 when it is newer.'),
})

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
