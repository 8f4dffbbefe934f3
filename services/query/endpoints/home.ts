import { z } from 'zod'
import { endpoint } from '../http/endpoint.js'
import { explorerPage } from '../pages/explorer.js'
import { htmlType, pageHeaders } from '../pages/page.js'

const index = {
  name: 'Skill Catalog',
  description: 'A public, read-only HTTP API over a catalog of skills for AI agents. No key, no account.',
  openapi: '/openapi.json',
  documentation: '/docs',
  errors: '/docs/errors',
  license: 'https://creativecommons.org/licenses/by/4.0/',
  links: {
    search: '/api/v1/skills/search?q={q}',
    suggest: '/api/v1/skills/suggest?q={q}',
    skills: '/api/v1/skills',
    skill: '/api/v1/skills/{owner}/{repo}',
    history: '/api/v1/skills/{owner}/{repo}/history',
    stats: '/api/v1/stats',
    statsHistory: '/api/v1/stats/history',
    changes: '/api/v1/changes{?since}',
    export: '/api/v1/export?type={type}&format={format}',
    exports: '/api/v1/exports',
    feed: '/feed.atom',
    sitemap: '/sitemap.xml',
  },
}

/** GET /: the links of the service for programs; for browsers the explorer, a page to search on. */
export const home = endpoint({
  name: 'home',
  path: '/',
  summary: 'The links of this service; for browsers a page to search on',
  docs: {
    tag: 'Discovery',
    errors: [],
    content: {
      'application/json': z.object({
        name: z.string().describe('the name of this service'),
        description: z.string().describe('the description of this service'),
        openapi: z.string().describe('path of this document'),
        documentation: z.string().describe('path of the documentation as a page'),
        errors: z.string().describe('path of the explanations of error codes'),
        license: z.string().describe('URL of the licence of the data'),
        links: z
          .record(z.string(), z.string())
          .describe('paths as URI templates (RFC 6570), by the name of the resource'),
      }),
      'text/html': z.string(),
    },
  },
  params: z.object({}),
  query: z.object({}),
  response: z.looseObject({}),
  limits: ['default'],
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle({ accepts }) {
    const links = [
      { rel: 'api-catalog', target: '/.well-known/api-catalog' },
      { rel: 'service-desc', target: '/openapi.json' },
      { rel: 'service-doc', target: '/docs' },
    ] as const
    // Clients without a preference are programs.
    return accepts(['application/json', 'text/html']) === 'text/html'
      ? { text: explorerPage, links: [...links], headers: { ...pageHeaders, 'Content-Type': htmlType, Vary: 'Accept' } }
      : { body: index, links: [...links], headers: { Vary: 'Accept' } }
  },
})
