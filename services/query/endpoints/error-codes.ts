import { STATUS_CODES } from 'node:http'
import { SendableText } from '../http/sendable-text.js'
import { textEndpoint } from '../http/text-endpoint.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { problemCodes } from '../problems/problem-codes.js'

const render = () =>
  renderPage({
    title: 'Errors – Skill Catalog',
    description: 'What each error code of the Skill Catalog means, and what to do about it.',
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

let page: SendableText | null = null

/** GET /docs/errors: the meaning of each error code, at the URL in a problem's `type`. */
export const errorCodes = textEndpoint({
  name: 'error-codes',
  path: '/docs/errors',
  summary: 'The meaning of each error code, as a page',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle() {
    page ??= new SendableText(render())
    return { text: page, headers: pageHeaders }
  },
})
