// Shows the document of this service; nothing is fetched from elsewhere.
// By another name: the bundle may have declared its own for all scripts.
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
