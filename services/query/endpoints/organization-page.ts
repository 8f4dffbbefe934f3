import { z } from 'zod'
import { PathSegment } from '../../../shared/records/fields.js'
import { formatCount } from '../../../shared/text/format-numbers.js'
import { askThisService, listingParameters, readListing } from '../pages/page-data.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { problemError } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'
import { countedIn, listingAddress } from '../web/components/first-view.js'

/** GET /organizations/:owner: the skills of one organization as a page. */
export const organizationPage = endpoint({
  name: 'organization-page',
  path: '/organizations/:owner',
  summary: 'The skills of one organization as a page',
  docs: { tag: 'Discovery', errors: ['organization_unknown', 'catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  params: z.object({ owner: PathSegment.describe('the owner of skills, any case') }),
  query: z.object(listingParameters),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, query, header, path }, deps) {
    const login = params.owner.toLowerCase()
    const { list, valuesOf } = await readListing(askThisService(deps), { owner: login }, query)
    if (list.pagination.total === 0) {
      throw problemError('organization_unknown', `No published skill has the owner ${login}. Search for another one.`)
    }
    const origin = deps.originOf(header)
    const name = list.data[0]?.owner ?? login
    const text = renderPage({
      title: `Skills of ${name} – Skill Catalog`,
      description: `Skills of ${name} for AI agents: ${formatCount(list.pagination.total, countedIn(query.sort))}.`,
      canonical: `${origin}${listingAddress(`/organizations/${login}`, query.sort, query.page)}`,
      json: `/api/v1/skills?owner=${login}`,
      path,
      shown: {
        view: 'organization',
        data: {
          name,
          login,
          topics: valuesOf('topics'),
          languages: valuesOf('language'),
          origin,
          list,
          sort: query.sort,
          path: `/organizations/${login}`,
        },
      },
    })
    return { text, headers: pageHeaders }
  },
})
