import type { ComponentType } from 'preact'
import { SiteFooter } from './components/site-footer.js'
import { SiteHeader } from './components/site-header.js'
import { type Shown, searchViews, views } from './views.js'

/** The attribute of the root element in which the server leaves what a page shows, for the browser. */
export const shownAttribute = 'data-shown'

/** What the server leaves. */
export interface AppProps {
  shown: Shown
  /** The path of the page. */
  path: string
}

/** A whole page. */
export function App({ shown, path }: AppProps) {
  const View = views[shown.view] as ComponentType<object>
  return (
    <>
      <SiteHeader path={path} hasSearch={searchViews.includes(shown.view)} />
      {shown.view === 'docs' ? (
        // Swagger UI has a main element of its own.
        <div id="main" class="main" tabIndex={-1}>
          <View {...(shown.data as object)} />
        </div>
      ) : (
        <main id="main" class="main" tabIndex={-1}>
          <View {...(shown.data as object)} />
        </main>
      )}
      <SiteFooter />
    </>
  )
}
