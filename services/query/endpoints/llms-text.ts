import { textEndpoint } from '../text-endpoint.js'

/** GET /llms.txt: what an agent needs to know to use this API, as the proposal at https://llmstxt.org has it. */
export const llmsText = textEndpoint({
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

const textFor = (origin: string): string => `# Skill Catalog

> A public, read-only HTTP API over a catalog of skills for AI agents, each known by its owner and repository name, with prompts and organizations beside them in the download. JSON over GET, no key, data under CC BY 4.0.

Search first; it forgives typos, and its best hit comes first. Percent-encode what you put into an address. Unknown parameters are refused. Every error says in \`detail\` what to do. \`RateLimit\` of each answer says how many requests are left in the minute; after a 429 wait as long as \`Retry-After\` says. For many skills take the download instead of many requests.

## API

- [Search](${origin}/api/v1/skills/search?q=pdf): \`GET /api/v1/skills/search?q=<words>\`, with \`limit\`, \`page\`, \`topic\`, \`language\`, \`license\`, \`owner\`, \`minStars\`, \`facets\`
- [One skill](${origin}/docs#/Skills/getSkill): \`GET /api/v1/skills/<owner>/<repo>\`
- [List](${origin}/api/v1/skills?sort=stars): \`GET /api/v1/skills\`, to be walked by \`cursor\`; or up to 100 at once with \`ids=<owner>/<repo>,…\`
- [Changes](${origin}/api/v1/changes): \`GET /api/v1/changes?since=<nextSince>\`, removals included, for keeping a copy
- [Figures](${origin}/api/v1/stats): \`GET /api/v1/stats\`
- [Download](${origin}/docs#/Catalog/export): \`GET /api/v1/export?type=skills|prompts|organizations&format=json|csv|ndjson\`

## Documentation

- [OpenAPI 3.1](${origin}/openapi.json): every parameter, answer, header and error
- [Documentation](${origin}/docs): the same for people
- [Errors](${origin}/docs/errors): what each code means and what to do

## Optional

- [Feed](${origin}/feed.atom): new and updated skills, as Atom
- [Sitemap](${origin}/sitemap.xml): a page for every skill
`
