import { STATUS_CODES } from 'node:http'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { problemCodes } from '../problems/problem-codes.js'
import { endpoint } from '../request/endpoint.js'

const render = (origin: string) =>
  renderPage({
    title: 'Errors – Skill Catalog',
    description: 'What each error code of the Skill Catalog means, and what to do about it.',
    canonical: `${origin}/docs/errors`,
    path: '/docs/errors',
    shown: {
      view: 'errors',
      data: {
        entries: Object.entries(problemCodes).map(([code, { status, meaning, remedy }]) => ({
          code,
          status: `${status} ${STATUS_CODES[status] ?? ''}`,
          meaning,
          remedy,
        })),
      },
    },
  })

/** GET /docs/errors: the meaning of each error code, at the URL in a problem's `type`. */
export const errorCodes = endpoint({
  name: 'error-codes',
  path: '/docs/errors',
  summary: 'The meaning of each error code, as a page',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { text: render(originOf(header)), headers: pageHeaders }
  },
})
