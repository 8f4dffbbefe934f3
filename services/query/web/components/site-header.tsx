import { Icon } from './icon.js'
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
  /** Whether the page has a search box of its own. */
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
