import { z } from 'zod'
import { askThisService, listingParameters } from '../pages/page-data.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { endpoint } from '../request/endpoint.js'
import type { ListAnswer } from '../web/api/answers.js'
import { listingAddress } from '../web/components/first-view.js'

/** GET /repositories: the repositories as a page, each with its first skill. */
export const repositoryIndex = endpoint({
  name: 'repository-index',
  path: '/repositories',
  summary: 'The repositories as a page, each with its first skill',
  docs: { tag: 'Discovery', errors: ['catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  query: z.object(listingParameters),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ query: { sort, page }, header, path }, deps) {
    const listed = new URLSearchParams({ sort, page: String(page), distinct: 'repository' })
    const list = await askThisService(deps)<ListAnswer>(`/api/v1/skills?${listed}`)
    const text = renderPage({
      title: 'Repositories – Skill Catalog',
      description: 'The repositories of skills for AI agents.',
      canonical: `${deps.originOf(header)}${listingAddress(path, sort, page)}`,
      json: '/api/v1/skills?distinct=repository',
      path,
      shown: { view: 'repositories', data: { list, sort, path, isOfRepositories: true } },
    })
    return { text, headers: pageHeaders }
  },
})
