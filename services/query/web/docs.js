// Shows the OpenAPI document of this service; nothing is loaded from other origins.
// Renamed, since the bundle may declare the name globally.
const { SwaggerUIBundle: show } =
  /** @type {Window & { SwaggerUIBundle: (options: import('swagger-ui-dist').SwaggerConfigs) => unknown }} */ (
    /** @type {unknown} */ (window)
  )
show({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
