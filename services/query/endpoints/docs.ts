import { builtPath, htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { endpoint } from '../request/endpoint.js'

const render = (origin: string) =>
  renderPage({
    title: 'API – Skill Catalog',
    description: 'Every endpoint of the Skill Catalog: parameters, responses, errors, and a form to try each of them.',
    canonical: `${origin}/docs`,
    path: '/docs',
    styles: ['/docs/swagger-ui.css'],
    scripts: ['/docs/swagger-ui-bundle.js', builtPath('docs.ts')],
    shown: { view: 'docs', data: {} },
  })

/** GET /docs: the API documentation as a page, with a form to send requests. */
export const docs = endpoint({
  name: 'docs',
  path: '/docs',
  summary: 'The API documentation as a page, with a form to send requests',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { text: render(originOf(header)), headers: pageHeaders }
  },
})
