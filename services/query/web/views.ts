import type { ComponentProps } from 'preact'
import { DatasetView } from './views/dataset-view.js'
import { DocsView } from './views/docs-view.js'
import { ErrorsView } from './views/errors-view.js'
import { ExplorerView } from './views/explorer-view.js'
import { IndexView, RepositoriesView } from './views/index-view.js'
import { OrganizationView } from './views/organization-view.js'
import { ProblemView } from './views/problem-view.js'
import { SkillView } from './views/skill-view.js'
import { StatisticsView } from './views/statistics-view.js'
import { TopicView } from './views/topic-view.js'

/** Every page that is rendered on the server, and continued in the browser. */
export const views = {
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
export type ViewName = keyof typeof views

/** A page, and what it shows. */
export type Shown = { [Name in ViewName]: { view: Name; data: ComponentProps<(typeof views)[Name]> } }[ViewName]

/** Views with a search box of their own. */
export const searchViews: ViewName[] = ['explorer', 'problem']
