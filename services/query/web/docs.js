// @ts-nocheck Swagger UI says nothing about its types here.
// Shows the document of this service; nothing is fetched from elsewhere.
window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
