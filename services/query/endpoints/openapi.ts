import { z } from 'zod'
import { openApiDocument } from '../openapi/document.js'
import { type Endpoint, endpoint } from '../request/endpoint.js'
import { SendableText } from '../request/sendable-text.js'

/**
 * GET /openapi.json: this API as an OpenAPI 3.1 document, created once. /docs/openapi.json is the same as a part of the page
 * /docs, which has been counted.
 *
 * @param endpoints returns every endpoint, these included
 */
export function openApi(endpoints: () => Endpoint[]): Endpoint[] {
  let document: SendableText | null = null
  const ofApi = endpoint({
    name: 'openapi',
    path: '/openapi.json',
    summary: 'This document',
    docs: { tag: 'Discovery', errors: [] },
    response: z.looseObject({ openapi: z.string() }).describe('OpenAPI 3.1'),
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      document ??= new SendableText(JSON.stringify(openApiDocument(endpoints())))
      return { text: document }
    },
  })
  return [ofApi, { ...ofApi, name: 'page-file', path: '/docs/openapi.json', docs: null, limits: [] }]
}
