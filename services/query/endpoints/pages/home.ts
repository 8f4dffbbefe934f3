import { z } from 'zod'
import { sortRows } from '../../../../shared/ports/filter-table.js'
import { htmlType, pageHeaders, renderPage } from '../../pages/render-page.js'
import { endpoint } from '../../request/endpoint.js'
import { filterParameters, OneOf, QueryText } from '../../request/parameters.js'
import { addressOf, loadExplorer, readState, titleOf } from '../../web/search/search-state.js'
import { askThisService, PageOfPages, pageOfPages } from './page-data.js'

const index = {
  name: 'Skill Catalog',
  description: 'A public, read-only HTTP API over a catalog of skills for AI agents. No key, no account.',
  openapi: '/openapi.json',
  documentation: '/docs',
  errors: '/docs/errors',
  mcp: '/mcp',
  license: 'https://creativecommons.org/licenses/by/4.0/',
  links: {
    search: '/api/v1/skills/search?q={q}',
    suggest: '/api/v1/skills/suggest?q={q}',
    skills: '/api/v1/skills',
    skill: '/api/v1/skills/{owner}/{repo}',
    text: '/api/v1/skills/{owner}/{repo}/SKILL.md',
    files: '/api/v1/skills/{owner}/{repo}/files',
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

/** The form of the page sends empty fields, too. */
const formField = { formField: true }
const { owner, topic, license, language } = filterParameters

/** GET /: the links of the service for programs; for browsers the explorer, a page to search on. */
export const home = endpoint({
  name: 'home',
  path: '/',
  summary: 'The links of this service; for browsers a page to search on',
  docs: {
    tag: 'Discovery',
    description: 'The parameters are those of the page: its address is that of a search.',
    errors: ['catalog_unavailable', 'search_unavailable', 'query_timeout'],
    content: {
      'application/json': z.object({
        name: z.string().describe('the name of this service'),
        description: z.string().describe('the description of this service'),
        openapi: z.string().describe('path of this document'),
        documentation: z.string().describe('path of the documentation as a page'),
        errors: z.string().describe('path of the explanations of error codes'),
        mcp: z.string().describe('path for the Model Context Protocol, by POST'),
        license: z.string().describe('URL of the licence of the data'),
        links: z
          .record(z.string(), z.string())
          .describe('paths as URI templates (RFC 6570), by the name of the resource'),
      }),
      'text/html': z.string(),
    },
  },
  query: z.object({
    q: QueryText.optional().describe('the words to search for').meta(formField),
    sort: OneOf(['relevance', ...sortRows().map(({ name }) => name), 'trending'])
      .optional()
      .describe('the order of the results; default: relevance, without words stars')
      .meta(formField),
    page: PageOfPages.optional().describe(pageOfPages).meta(formField),
    owner: owner.meta(formField),
    topic: topic.meta(formField),
    license: license.meta(formField),
    language: language.meta(formField),
  }),
  response: z.looseObject({}),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ accepts, given, header, path }, deps) {
    const links = [
      { rel: 'api-catalog', target: '/.well-known/api-catalog' },
      { rel: 'service-desc', target: '/openapi.json' },
      { rel: 'service-doc', target: '/docs' },
    ] as const
    // Clients without a preference are programs.
    if (accepts(['application/json', 'text/html']) !== 'text/html') {
      return { body: index, links: [...links], headers: { Vary: 'Accept' } }
    }
    const origin = deps.originOf(header)
    const state = readState(new URLSearchParams(given))
    const data = await loadExplorer(state, askThisService(deps), null)
    const text = renderPage({
      title: titleOf(state),
      description: 'Skills for AI agents: search, read, and download them all.',
      canonical: `${origin}${addressOf(state)}`,
      path,
      about: {
        '@type': 'WebSite',
        name: 'Skill Catalog',
        url: `${origin}/`,
        potentialAction: {
          '@type': 'SearchAction',
          target: { '@type': 'EntryPoint', urlTemplate: `${origin}/?q={search_term_string}` },
          'query-input': 'required name=search_term_string',
        },
      },
      shown: { view: 'explorer', data },
    })
    return { text, links: [...links], headers: { ...pageHeaders, 'Content-Type': htmlType, Vary: 'Accept' } }
  },
})
