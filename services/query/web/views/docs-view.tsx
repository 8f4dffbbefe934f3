/** The documentation of the API: the place in which Swagger UI shows it. */
export const DocsView = () => (
  <div class="docs-view">
    <section aria-label="API">
      <h1 class="hidden-text">API</h1>
      <noscript>
        <p>
          This page needs scripts. Machine-readable: <a href="/openapi.json">/openapi.json</a>
        </p>
      </noscript>
    </section>
    <div id="swagger-ui" />
  </div>
)
