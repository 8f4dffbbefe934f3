import type { Stats } from '../api/answers.js'
import { CodeLine, Notice, PageHead, topicLink } from '../components/basic.js'
import { type Bar, BarList, LineChart, type Point, Totals } from '../components/charts.js'
import { type Dataset, DatasetRecipes, type Snapshot, SnapshotSection } from '../components/dataset.js'
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
        bars={stats.topTopics.map(({ topic, skills }) => ({ ...topicLink(topic), value: skills }))}
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
        note="All skills in the languages of the most starred and the latest repositories."
        bars={languages}
      />
      <BarList
        id="by-licence"
        title="Licences"
        note="All skills under the licences of the most starred and the latest repositories."
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

interface DatasetData {
  /** Null: none has been written yet. */
  snapshot: Snapshot | null
  /** Null: none has been written yet. */
  dataset: Dataset | null
  origin: string
}

/** The files of the newest snapshot, and how to use them. */
export const DatasetView = ({ snapshot, dataset, origin }: DatasetData) => (
  <div class="dataset-view">
    <PageHead kind="Dataset" title="Take all of it with you">
      <p class="lead">
        Skills, prompts and organizations as files that never change, for your own index, study or model. Use them under{' '}
        <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.
      </p>
    </PageHead>
    {snapshot === null ? (
      <Notice title="The first files are being written">
        <p>
          That takes a minute or less. <a href="/dataset">Load this page again</a> then.
        </p>
      </Notice>
    ) : (
      <>
        <SnapshotSection id="files" title="Newest snapshot" snapshot={snapshot}>
          Browsers and <code>curl --compressed</code> fetch the compressed form by themselves. Downloads can be
          continued, and count against a limit of their own. Earlier snapshots:{' '}
          <a href="/api/v1/exports">/api/v1/exports</a>.
        </SnapshotSection>
        {dataset === null ? null : (
          <SnapshotSection id="whole" title="The whole catalog" snapshot={dataset}>
            Every record, for analysis: a Parquet file for each type, and all of them in one SQLite database with a
            full-text index. Written once a day.
          </SnapshotSection>
        )}
        <section class="block" aria-labelledby="use">
          <h2 id="use">Use it</h2>
          <DatasetRecipes origin={origin} snapshot={snapshot} dataset={dataset} />
        </section>
      </>
    )}
  </div>
)
