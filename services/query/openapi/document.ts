import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi'
import type { Endpoint } from '../endpoint.js'
import { type EndpointDocs, tags } from './endpoint-docs.js'
import { headerComponents, responseComponents, responsesOf } from './responses.js'

/** What the document is, as plain JSON. */
export type OpenApiDocument = ReturnType<typeof createDocument>

const description = `A public, read-only HTTP API over a catalog of skills for AI agents. No key, no account.

- **Data** may be used under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), as the \`Link\` of each answer says.
- **Errors** are problem documents ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)); [each code](/docs/errors) says what to do.
- **Limits** are in \`RateLimit\` and \`X-RateLimit-*\` of every answer. Over them: 429 with \`Retry-After\`.
- **Conditional**: every 200 has a strong \`ETag\`; send it back as \`If-None-Match\`.
- **HEAD** is answered wherever GET is, with the same headers. Unknown and repeated parameters are refused.
- Times are ISO-8601 in UTC; what is absent is \`null\` and never left out.`

/** The OpenAPI 3.1 document of these endpoints, made from the schemas that validate requests and shape answers. */
export function openApiDocument(endpoints: Endpoint[]): OpenApiDocument {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Skill Catalog',
        version: '1.0.0',
        description,
        license: { name: 'CC BY 4.0 (data)', url: 'https://creativecommons.org/licenses/by/4.0/' },
      },
      servers: [{ url: '/' }],
      tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
      paths: Object.fromEntries(endpoints.flatMap(pathItems)),
      components: { headers: headerComponents(), responses: responseComponents() },
    },
    // Two different things of one name would be told apart by a suffix, which is only needed for one that is both.
    { outputIdSuffix: 'Output' },
  )
}

/** The endpoint's path and its aliases, each with its operation. */
function pathItems(endpoint: Endpoint): [path: string, item: { get: ZodOpenApiOperationObject }][] {
  const { docs, path, aliases = [] } = endpoint
  if (docs === null) {
    return []
  }
  return [path, ...aliases].map((asked) => [
    asked.replaceAll(/:(\w+)/g, '{$1}'),
    { get: operation(endpoint, docs, asked === path ? null : path) },
  ])
}

/** @param original the path that this one is another name of; null when it is the first */
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
    responses: responsesOf(endpoint, docs),
  }
}

const RequestHeaders = z.object({
  'If-None-Match': z.string().optional().describe('`ETag` of a copy that you have: 304 when it is still right.'),
  'X-Request-Id': z.string().optional().describe('A name for the request in our log: letters, digits, `_`, `-`.'),
})

const RangeHeaders = z.object({
  Range: z.string().optional().describe('One range of bytes, `bytes=100-`. Anything else is answered with the whole.'),
  'If-Range': z.string().optional().describe('`ETag` or `Last-Modified` of the part that you have.'),
})

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
