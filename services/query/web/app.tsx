import type { ComponentProps, ComponentType } from 'preact'
import { SiteFooter, SiteHeader } from './components/site.js'
import { DocsView, ErrorsView, ProblemView } from './views/documents.js'
import { ExplorerView } from './views/explorer-view.js'
import { IndexView, OrganizationView, RepositoriesView, TopicView } from './views/listings.js'
import { SkillView } from './views/skill-view.js'
import { DatasetView, StatisticsView } from './views/statistics-view.js'

/** Every page that is rendered on the server, and continued in the browser. */
const views = {
  dataset: DatasetView,
  docs: DocsView,
  errors: ErrorsView,
  explorer: ExplorerView,
  index: IndexView,
  organization: OrganizationView,
  problem: ProblemView,
  repositories: RepositoriesView,
  skill: SkillView,
  statistics: StatisticsView,
  topic: TopicView,
}
type ViewName = keyof typeof views

/** A page, and what it shows. */
type Shown = { [Name in ViewName]: { view: Name; data: ComponentProps<(typeof views)[Name]> } }[ViewName]

/** Views with a search box of their own. */
const searchViews: ViewName[] = ['explorer', 'problem']

/** The attribute of the root element in which the server leaves what a page shows, for the browser. */
export const shownAttribute = 'data-shown'

/** What the server leaves. */
export interface AppProps {
  shown: Shown
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
        <div id="main" tabIndex={-1}>
          <View {...(shown.data as object)} />
        </div>
      ) : (
        <main id="main" tabIndex={-1}>
          <View {...(shown.data as object)} />
        </main>
      )}
      <SiteFooter />
    </>
  )
}
