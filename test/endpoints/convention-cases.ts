import { facetNames } from '../../shared/ports/filter-table.js'

export const json = 'application/json; charset=utf-8'
const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const xml = 'application/xml; charset=utf-8'
const brief = 'public, max-age=30, stale-while-revalidate=60'
const minutes = 'public, max-age=300, stale-while-revalidate=600'
export const ofTheService = 'public, max-age=300, stale-while-revalidate=86400'
const seldom = 'public, max-age=3600, stale-while-revalidate=86400'

/** A request to each endpoint, its media type, and its cache lifetime. */
export const endpoints: [path: string, contentType: string, cacheControl: string][] = [
  ['/api/skills?limit=50', json, brief],
  ['/api/v1/skills?page=2&limit=5', json, brief],
  ['/api/v1/skills?ids=acme/kumquat,acme/gone,acme/old-name', json, brief],
  ['/api/skills/acme/kumquat', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/v1/skills/quillmoor/pdf-table-lifter', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/skills/acme/kumquat/SKILL.md', markdown, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/v1/skills/acme/kumquat/SKILL.md', markdown, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/skills/acme/kumquat/files', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/v1/skills/acme/kumquat/files', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/skills/acme/kumquat/related', json, 'public, max-age=300, stale-while-revalidate=3600'],
  [
    '/api/v1/skills/quillmoor/pdf-table-lifter/related?limit=3',
    json,
    'public, max-age=300, stale-while-revalidate=3600',
  ],
  ['/api/skills/acme/kumquat/history', json, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/api/v1/skills/quillmoor/pdf-table-lifter/history', json, 'public, max-age=300, stale-while-revalidate=3600'],
  [`/api/v1/skills/search?q=pdf&facets=${facetNames}&highlight=true&explain=true`, json, brief],
  ['/api/v1/skills/suggest?q=pd', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/search?q=pdf&limit=5&utm_source=x', json, brief],
  ['/.well-known/agent-skills/index.json', json, 'no-store'],
  [
    '/skills/acme/kumquat/.well-known/agent-skills/index.json?utm_source=x',
    json,
    'public, max-age=60, stale-while-revalidate=300',
  ],
  ['/agents?pageSize=5&utm_source=x', json, brief],
  [
    '/agents/urn%3Aair%3Acatalog.example%3Askills%3Aacme%3Akumquat',
    json,
    'public, max-age=60, stale-while-revalidate=300',
  ],
  ['/clawhub/api/v1/search?q=pdf&limit=25', json, brief],
  ['/clawhub/api/v1/skills/kumquat?ownerHandle=acme', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/.well-known/clawhub.json', json, seldom],
  ['/.well-known/ard.json', json, seldom],
  ['/.well-known/ai-catalog.json', json, seldom],
  ['/api/v1/stats', json, 'public, max-age=300'],
  ['/api/v1/stats/history?days=30', json, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/api/v1/export?type=skills', json, minutes],
  ['/api/v1/export?type=prompts', json, minutes],
  ['/api/v1/export?type=organizations', json, minutes],
  ['/api/v1/exports', json, 'public, max-age=60, stale-while-revalidate=300'],
  ['/api/v1/changes?limit=50', json, 'public, max-age=2'],
  ['/', json, brief],
  ['/openapi.json', json, ofTheService],
  ['/docs', html, ofTheService],
  ['/docs/errors', html, ofTheService],
  ['/skills/acme/kumquat', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/organizations/quillmoor?sort=name', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/topics/pdf', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/organizations', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/topics?page=2', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/repositories', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/statistics', html, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/dataset', html, 'public, max-age=60, stale-while-revalidate=300'],
  ['/feed.atom', 'application/atom+xml; charset=utf-8', 'public, max-age=300, stale-while-revalidate=3600'],
  ['/sitemap.xml', xml, 'public, max-age=300, stale-while-revalidate=3600'],
  ['/sitemaps/1.xml', xml, seldom],
  ['/robots.txt', 'text/plain; charset=utf-8', seldom],
  ['/llms.txt', 'text/plain; charset=utf-8', seldom],
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', seldom],
]

const tooLong = `/api/skills?owner=${'a'.repeat(9_000)}`

/** Responses other than 200, to which the common conventions apply too. */
export const others: [method: string, path: string, status: number][] = [
  ['GET', '/api/skills?limit=x', 400],
  ['GET', '/api/skills/acme/100%', 400],
  ['GET', '/nowhere', 404],
  ['GET', '/api/skills/acme/no-such-skill', 404],
  ['GET', '/api/skills/acme/old-name', 308],
  ['GET', '/skills/acme/kumquat/one', 308],
  ['GET', '/api/skills/acme/gone', 410],
  ['DELETE', '/api/skills', 405],
  ['POST', '/api/v1/skills/search', 415],
  ['POST', '/search', 415],
  ['POST', '/explore', 415],
  ['GET', '/search', 405],
  ['GET', '/agents?pageSize=0', 400],
  ['POST', '/api/v1/resolve', 415],
  ['GET', '/api/v1/resolve', 405],
  ['OPTIONS', '/api/skills', 204],
  ['OPTIONS', '/nowhere', 204],
  // The whole server.
  ['OPTIONS', '*', 204],
  ['GET', tooLong, 414],
]
