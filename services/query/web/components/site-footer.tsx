import { QuotaNote } from './quota-note.js'

/** The bottom of every page. */
export const SiteFooter = () => (
  <footer class="site-footer">
    <p>
      The data may be used under{' '}
      <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">
        CC BY 4.0
      </a>
      . No key, no account.
    </p>
    <nav aria-label="All of the catalog">
      <a href="/organizations">Organizations</a>
      <a href="/topics">Topics</a>
      <a href="/repositories">Repositories</a>
    </nav>
    <nav aria-label="For programs">
      <a href="/openapi.json">OpenAPI</a>
      <a href="/docs/errors">Errors</a>
      <a href="/llms.txt">llms.txt</a>
      <a href="/feed.atom">Feed</a>
    </nav>
    <QuotaNote />
  </footer>
)
