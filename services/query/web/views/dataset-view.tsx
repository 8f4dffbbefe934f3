import { DatasetRecipes } from '../components/dataset-recipes.js'
import { Notice } from '../components/notice.js'
import { PageHead } from '../components/page-head.js'
import { type Snapshot, SnapshotTable } from '../components/snapshot-table.js'
import { formatDay } from '../text/format.js'

export interface DatasetData {
  /** Null: none has been written yet. */
  snapshot: Snapshot | null
  origin: string
}

/** The files of the newest snapshot, and how to use them. */
export const DatasetView = ({ snapshot, origin }: DatasetData) => (
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
        <section class="block" aria-labelledby="files">
          <div class="block-head">
            <h2 id="files">Newest snapshot</h2>
            <p class="quiet small">
              <span class="mono">{snapshot.snapshot}</span>, written on{' '}
              <time dateTime={snapshot.generatedAt}>{formatDay(snapshot.generatedAt)}</time>
            </p>
          </div>
          <SnapshotTable files={snapshot.files} />
          <p class="quiet small">
            Browsers and <code>curl --compressed</code> fetch the compressed form by themselves. Downloads can be
            continued, and count against a limit of their own. Earlier snapshots:{' '}
            <a href="/api/v1/exports">/api/v1/exports</a>.
          </p>
        </section>
        <section class="block" aria-labelledby="use">
          <h2 id="use">Use it</h2>
          <DatasetRecipes origin={origin} snapshot={snapshot} />
        </section>
      </>
    )}
  </div>
)
