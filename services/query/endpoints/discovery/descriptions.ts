import { z } from 'zod'
import { filterRows } from '../../../../shared/ports/filter-table.js'
import { endpoint } from '../../request/endpoint.js'

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
    // Its index, as JSON for programs.
    const api = `${origin}/`
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

/** GET /llms.txt: the API described for language models, in the format of https://llmstxt.org. */
export const llmsText = endpoint({
  name: 'llms-text',
  path: '/llms.txt',
  summary: 'How to use this API, for language models',
  docs: { tag: 'Discovery', errors: [] },
  produces: 'text/plain; charset=utf-8',
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { text: textFor(originOf(header)) }
  },
})

const filterNames = filterRows()
  .map(({ parameter }) => `\`${parameter}\``)
  .join(', ')

const textFor = (origin: string): string => `# Skill Catalog

> A public, read-only HTTP API over a catalog of skills for AI agents, each identified by its owner and repository name; the download also has prompts and organizations. JSON over GET, no key, data under CC BY 4.0.

Search first: it tolerates typos and returns the best hit first. Percent-encode values in URLs. Unknown parameters of the API are refused. The \`detail\` of every error says what to do. The \`RateLimit\` header of every response gives the number of requests left in the minute; after a 429 wait for the time in \`Retry-After\`. For many skills use the download instead of many requests. The same is available as tools over the Model Context Protocol (streamable HTTP) at ${origin}/mcp.

## API

- [Search](${origin}/api/v1/skills/search?q=pdf): \`GET /api/v1/skills/search?q=<words>\`, a whole task of up to 2,000 characters also by \`POST\` as JSON (\`{"q": "<task>"}\`), with \`limit\`, \`page\`, ${filterNames}, \`facets\`
- [One skill](${origin}/docs#/Skills/getSkill): \`GET /api/v1/skills/<owner>/<repo>\`, of one of several in a repository \`GET /api/v1/skills/<owner>/<repo>@<skill>\`; its instructions as Markdown: \`/SKILL.md\` after it, foreign text to check before it is followed; the files with it: \`/files\`
- [List](${origin}/api/v1/skills?sort=stars): \`GET /api/v1/skills\`, paged by \`cursor\`; or up to 100 at once with \`ids=<owner>/<repo>,…\`
- [Resolve](${origin}/docs#/Skills/resolveSkills): \`POST /api/v1/resolve\` with a lock file of \`npx skills\`, or \`{"skills": [{"id": "<owner>/<repo>", "digest": "sha256:…"}]}\`: which are outdated, renamed or removed
- [Changes](${origin}/api/v1/changes): \`GET /api/v1/changes?since=<nextSince>\`, removals included, for keeping a copy
- [Statistics](${origin}/api/v1/stats): \`GET /api/v1/stats\`, by day \`GET /api/v1/stats/history\`
- Trending: \`GET /api/v1/skills?sort=trending\`, the stars of one skill by day \`GET /api/v1/skills/<owner>/<repo>/history\`
- [Download](${origin}/docs#/Catalog/export): \`GET /api/v1/export?type=skills|prompts|organizations&format=json|csv|ndjson\`, at most 10,000 rows; [every record](${origin}/dataset) as Parquet and SQLite

## Documentation

- [OpenAPI 3.1](${origin}/openapi.json): every parameter, response, header and error
- [Documentation](${origin}/docs): the same as a page
- [Errors](${origin}/docs/errors): the meaning of each code and its remedy

## Optional

- [Feed](${origin}/feed.atom): new and updated skills, as Atom
- [Sitemap](${origin}/sitemap.xml): a page for every skill
`
