import { DatasetRecipes } from '../components/dataset-recipes.js'
import { Notice } from '../components/notice.js'
import { PageHead } from '../components/page-head.js'
import { SnapshotSection } from '../components/snapshot-section.js'
import type { Dataset, Snapshot } from '../components/snapshot-table.js'

export interface DatasetData {
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
