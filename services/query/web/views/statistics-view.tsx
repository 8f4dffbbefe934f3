import type { Stats } from '../api/answers.js'
import { type Bar, BarList } from '../components/bar-list.js'
import { CodeLine } from '../components/code-line.js'
import { LineChart, type Point } from '../components/line-chart.js'
import { PageHead } from '../components/page-head.js'
import { topicPath } from '../components/topic-links.js'
import { Totals } from '../components/totals.js'
import { formatDay } from '../text/format.js'

export interface StatisticsData {
  stats: Stats
  /** The number of skills by day, the oldest first. */
  growth: Point[]
  languages: Bar[]
  licenses: Bar[]
  /** Skills by the time since their latest update. */
  freshness: Bar[]
  origin: string
}

const between = ({ oldestSkillUpdatedAt, newestSkillUpdatedAt }: Stats['freshness']): string =>
  oldestSkillUpdatedAt === null || newestSkillUpdatedAt === null
    ? ''
    : `Skills whose latest update is in this time. The oldest is of ${formatDay(oldestSkillUpdatedAt)}, the newest of ${formatDay(newestSkillUpdatedAt)}.`

/** The catalog in numbers. */
export const StatisticsView = ({ stats, growth, languages, licenses, freshness, origin }: StatisticsData) => (
  <div class="statistics-view">
    <PageHead kind="Statistics" title="The catalog in numbers">
      {stats.freshness.statsGeneratedAt === null ? null : (
        <p class="quiet">
          Computed every five minutes, last on{' '}
          <time dateTime={stats.freshness.statsGeneratedAt}>{formatDay(stats.freshness.statsGeneratedAt)}</time>.
        </p>
      )}
    </PageHead>
    <Totals totals={stats.totals} />
    <LineChart id="growth" title="Growth" unit="skills" points={growth} />
    <div class="charts">
      <BarList
        id="by-topic"
        title="Topics"
        note="Skills with each of the largest topics; a skill may have several."
        bars={stats.topTopics.map(({ topic, skills }) => ({ text: topic, value: skills, href: topicPath(topic) }))}
      />
      <BarList
        id="by-organization"
        title="Organizations"
        note="Skills of the organizations that have the most."
        bars={stats.topOrganizations.map(({ login, name, skills }) => ({
          text: name ?? login,
          value: skills,
          href: `/organizations/${login}`,
        }))}
      />
      <BarList
        id="by-language"
        title="Languages"
        note="All skills in the languages of the most starred and the latest ones."
        bars={languages}
      />
      <BarList
        id="by-licence"
        title="Licences"
        note="All skills under the licences of the most starred and the latest ones."
        bars={licenses}
      />
      <BarList
        id="by-update"
        title="Freshness"
        note={between(stats.freshness)}
        bars={stats.freshness.newestSkillUpdatedAt === null ? [] : freshness}
      />
    </div>
    <CodeLine label="These statistics, as JSON" code={`curl ${origin}/api/v1/stats`} />
  </div>
)
