import { STATUS_CODES } from 'node:http'
import { html } from '../../../shared/text/html.js'
import { SendableText } from '../http/sendable-text.js'
import { textEndpoint } from '../http/text-endpoint.js'
import { htmlType, pageHeaders, renderPage } from '../pages/page.js'
import { problemCodes } from '../problems/problem-codes.js'

const page = new SendableText(
  renderPage({
    title: 'Errors – Skill Catalog',
    description: 'What each error code of the Skill Catalog means, and what to do about it.',
    main: html`<h1>Errors</h1>
<p>Every error is a problem document (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>): <code>code</code> is for programs and stays the same, <code>detail</code> says what happened and what to do, <code>type</code> links to one of these entries. Some have further members, for instance <code>errors</code> with every refused parameter.</p>
${Object.entries(problemCodes).map(
  ([code, { status, meaning, remedy }]) => html`<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="status">${status} ${STATUS_CODES[status] ?? null}</p>
<p>${meaning}</p>
<p><strong>What to do:</strong> ${remedy}</p>
</section>
`,
)}`,
  }),
)

/** GET /docs/errors: the meaning of each error code, at the URL in a problem's `type`. */
export const errorCodes = textEndpoint({
  name: 'error-codes',
  path: '/docs/errors',
  summary: 'The meaning of each error code, as a page',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle() {
    return { text: page, headers: pageHeaders }
  },
})
