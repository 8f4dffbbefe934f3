// Shows the OpenAPI document of this service; nothing is loaded from other origins.
import type { SwaggerConfigs } from 'swagger-ui-dist'

declare global {
  /** Defined by the bundle of Swagger UI, which the page loads before. */
  var SwaggerUIBundle: (options: SwaggerConfigs) => unknown
}

/** The part of React that Swagger UI gives to its plugins. */
interface PluginSystem {
  React: { createElement(type: string, props: object | null, ...children: unknown[]): unknown }
}

/** A name in a button that opens its entry: a link in it could not be reached by the keyboard. */
const withoutNestedLinks = ({ React }: PluginSystem) => ({
  components: { DeepLink: ({ text }: { text: string }) => React.createElement('span', null, text) },
})

/** What assistive technology needs of the elements of Swagger UI, by their selectors. */
const attributes: Record<string, Record<string, string>> = {
  '#swagger-ui .information-container': { role: 'region', 'aria-label': 'About' },
  '#swagger-ui .scheme-container': { role: 'region', 'aria-label': 'Server' },
  '#swagger-ui .models': { role: 'region', 'aria-label': 'Schemas' },
  '#swagger-ui h3.opblock-tag, #swagger-ui .models > h4': { 'aria-level': '2' },
  '#swagger-ui .opblock h4': { 'aria-level': '3' },
  '#swagger-ui .opblock h5': { 'aria-level': '4' },
  '#swagger-ui pre': { tabindex: '0' },
  '#servers': { 'aria-label': 'Server' },
}

function complete(): void {
  for (const [selector, values] of Object.entries(attributes)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(values)) {
        element.setAttribute(name, value)
      }
    }
  }
  for (const row of document.querySelectorAll('#swagger-ui [data-param-name]')) {
    for (const field of row.querySelectorAll('input, select, textarea')) {
      field.setAttribute('aria-label', row.getAttribute('data-param-name') ?? '')
    }
  }
}

globalThis.SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  // Its colours are hard to read.
  syntaxHighlight: { activated: false },
  plugins: [withoutNestedLinks],
})

const shown = document.querySelector('#swagger-ui')
if (shown !== null) {
  new MutationObserver(complete).observe(shown, { childList: true, subtree: true })
}
