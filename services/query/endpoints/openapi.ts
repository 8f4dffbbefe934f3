import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.js'
import { SendableText } from '../http/sendable-text.js'
import { openApiDocument } from '../openapi/document.js'

/**
 * GET /openapi.json: this API as an OpenAPI 3.1 document, created once.
 *
 * @param endpoints returns every endpoint, this one included
 */
export function openApi(endpoints: () => Endpoint[]): Endpoint {
  let document: SendableText | null = null
  return endpoint({
    name: 'openapi',
    path: '/openapi.json',
    summary: 'This document',
    docs: { tag: 'Discovery', errors: [] },
    params: z.object({}),
    query: z.object({}),
    response: z.looseObject({ openapi: z.string() }).describe('OpenAPI 3.1'),
    limits: ['default'],
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      document ??= new SendableText(JSON.stringify(openApiDocument(endpoints())))
      return { text: document }
    },
  })
}
