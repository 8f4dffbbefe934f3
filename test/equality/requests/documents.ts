import { each, get, type SharedRequest } from './shared-request.js'

/** Requests for pages, feeds, files and statistics. */
export const documentRequests: Record<string, SharedRequest[]> = {
  'pages, feeds and documents': [
    { method: 'GET', path: '/', headers: { Accept: 'text/html,*/*;q=0.8' } },
    ...get(
      ...each('/, /openapi.json, /docs/errors, /robots.txt, /llms.txt, /.well-known/api-catalog, /feed.atom'),
      ...each('/.well-known/ard.json, /agents?orderBy=displayName&pageSize=50, /agents?filter=tags%3Dpdf&orderBy=name'),
      '/clawhub/api/v1/skills/pdf-table-lifter?ownerHandle=QUILLMOOR',
      '/clawhub/api/v1/skills/old-name?ownerHandle=acme',
      '/clawhub/api/v1/skills/kumquat',
      '/.well-known/clawhub.json',
      '/agents/urn:air:catalog.example:skills:acme:kumquat',
      '/agents/urn:air:catalog.example:skills:acme:old-name',
      ...each('/sitemap.xml, /sitemaps/2.xml, /skills/QUILLMOOR/pdf-table-lifter, /skills/acme/old-name'),
      ...each('/skills/acme/gone, /skills/acme/hidden, /skills/orchard/kit, /skills/orchard/tools'),
      ...each(
        '/skills/orchard/kit@peel, /skills/orchard/kit/peel, /skills/orchard/kit-before@peel, /skills/orchard/kit@gone',
      ),
    ),
  ],

  'statistics, files and health': [
    ...get(
      '/api/v1/stats',
      ...['skills', 'prompts', 'organizations'].flatMap((type) => [
        `/api/v1/export?type=${type}`,
        `/api/v1/export?type=${type}&format=csv`,
        `/api/v1/export?type=${type}&format=ndjson`,
      ]),
      '/api/v1/exports',
      '/api/v1/exports/20200101T000000000Z/skills.csv',
      '/healthz',
      '/readyz',
    ),
    { method: 'HEAD', path: '/api/v1/export?type=skills&format=csv' },
    { method: 'HEAD', path: '/api/v1/skills' },
  ],
}
