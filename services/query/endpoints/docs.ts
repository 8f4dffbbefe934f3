import { html } from '../html.js'
import { htmlType, pageHeaders, renderPage } from '../pages/page.js'
import { SendableText } from '../sendable-text.js'
import { textEndpoint } from '../text-endpoint.js'

const page = new SendableText(
  renderPage({
    title: 'API – Skill Catalog',
    description: 'Every endpoint of the Skill Catalog: parameters, answers, errors, and a form to try each of them.',
    styles: ['/docs/swagger-ui.css'],
    scripts: ['/docs/swagger-ui-bundle.js', '/docs/docs.js'],
    main: html`<noscript><p>This page needs scripts. The same for programs: <a href="/openapi.json">/openapi.json</a></p></noscript>
<div id="swagger-ui"></div>`,
  }),
)

/** GET /docs: the API for people, who can try it there. */
export const docs = textEndpoint({
  name: 'docs',
  path: '/docs',
  summary: 'This document as a page, to read and to try',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle() {
    return { text: page, headers: pageHeaders }
  },
})
