import { html } from '../../../shared/text/html.js'
import { SendableText } from '../http/sendable-text.js'
import { textEndpoint } from '../http/text-endpoint.js'
import { htmlType, pageHeaders, renderPage } from '../pages/page.js'

const page = new SendableText(
  renderPage({
    title: 'API – Skill Catalog',
    description: 'Every endpoint of the Skill Catalog: parameters, responses, errors, and a form to try each of them.',
    styles: ['/docs/swagger-ui.css'],
    scripts: ['/docs/swagger-ui-bundle.js', '/docs/docs.js'],
    main: html`<noscript><p>This page needs scripts. Machine-readable: <a href="/openapi.json">/openapi.json</a></p></noscript>
<div id="swagger-ui"></div>`,
  }),
)

/** GET /docs: the API documentation as a page, with a form to send requests. */
export const docs = textEndpoint({
  name: 'docs',
  path: '/docs',
  summary: 'The API documentation as a page, with a form to send requests',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle() {
    return { text: page, headers: pageHeaders }
  },
})
