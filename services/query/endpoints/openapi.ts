import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.js'
import { openApiDocument } from '../openapi/document.js'
import { SendableText } from '../sendable-text.js'

/**
 * GET /openapi.json: this API for programs, as OpenAPI 3.1. Made once.
 *
 * @param endpoints tells of every endpoint, this one included
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
