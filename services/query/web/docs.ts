// Shows the OpenAPI document of this service; nothing is loaded from other origins.
import type { SwaggerConfigs } from 'swagger-ui-dist'

declare global {
  /** Defined by the bundle of Swagger UI, which the page loads before. */
  var SwaggerUIBundle: (options: SwaggerConfigs) => unknown
}

globalThis.SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
