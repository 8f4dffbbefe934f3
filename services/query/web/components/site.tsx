import { nothing } from '../search/search-state.js'
import { Icon, StateLink } from './basic.js'
import { QuotaNote } from './results-view.js'
import { SearchBox } from './search-box.js'

const links = [
  { href: '/', text: 'Explore' },
  { href: '/statistics', text: 'Statistics' },
  { href: '/dataset', text: 'Dataset' },
  { href: '/docs', text: 'API' },
] as const

interface Props {
  /** The path of the page; its link is marked. */
  path: string
  hasSearch: boolean
}

/** The top of every page. */
export const SiteHeader = ({ path, hasSearch }: Props) => (
  <header class="site-header">
    <a class="skip-link" href="#main">
      Skip to the content
    </a>
    <div class="site-bar">
      <a class="brand" href="/">
        <svg viewBox="0 0 32 32" width="28" height="28" fill="#0e5f4a" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M9 10h14M9 16h14M9 22h8" fill="none" stroke="#fff" stroke-width="3" />
        </svg>
        Skill Catalog
      </a>
      {hasSearch ? null : <SearchBox size="small" />}
      <nav class="site-links" aria-label="Site">
        {links.map(({ href, text }) => (
          <a key={href} href={href} aria-current={href === path ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <button class="theme-switch" type="button" data-switch-theme aria-label="Switch between light and dark">
        <Icon name="theme" />
      </button>
    </div>
  </header>
)

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

/** The headline of the first view. */
export const Hero = () => (
  <div class="hero">
    <h1>Find a skill for your agent</h1>
    <p class="lead">
      An open catalog of skills for AI agents. Search by words or by meaning, read the facts, take all of it with you.
    </p>
  </div>
)

const examples = ['pdf tables', 'review a pull request', 'cook dinner with leftovers', 'unit tests']

/** Searches to begin with. */
export const Examples = () => (
  <p class="examples">
    <span class="quiet">Try</span>
    {examples.map((words) => (
      <StateLink key={words} change={() => ({ ...nothing, q: words })}>
        {words}
      </StateLink>
    ))}
  </p>
)
