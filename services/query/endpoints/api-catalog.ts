import { z } from 'zod'
import { endpoint } from '../request/endpoint.js'

const path = '/.well-known/api-catalog'

const Targets = z.array(z.object({ href: z.string(), type: z.string().optional() })).optional()

/** The links of one resource, by relation. */
const LinkContext = z.object({
  anchor: z.string().describe('the resource that the links belong to'),
  item: Targets,
  'service-desc': Targets,
  'service-doc': Targets,
  'service-meta': Targets,
  status: Targets,
  license: Targets,
})

/** GET /.well-known/api-catalog: links to the API and its descriptions (RFC 9727, RFC 9264). */
export const apiCatalog = endpoint({
  name: 'api-catalog',
  path,
  summary: 'The API and its descriptions as a link set (RFC 9727)',
  docs: { tag: 'Discovery', errors: [] },
  produces: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  response: z.object({ linkset: z.array(LinkContext) }),
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    const origin = originOf(header)
    const api = `${origin}/api/v1/`
    return {
      body: {
        linkset: [
          { anchor: `${origin}${path}`, item: [{ href: api }] },
          {
            anchor: api,
            'service-desc': [{ href: `${origin}/openapi.json`, type: 'application/json' }],
            'service-doc': [{ href: `${origin}/docs`, type: 'text/html' }],
            'service-meta': [{ href: `${origin}/llms.txt`, type: 'text/plain' }],
            status: [{ href: `${origin}/healthz`, type: 'application/json' }],
            license: [{ href: 'https://creativecommons.org/licenses/by/4.0/' }],
          },
        ],
      },
      links: [{ rel: 'api-catalog', target: path }],
    }
  },
})
