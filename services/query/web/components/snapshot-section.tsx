import type { ComponentChildren } from 'preact'
import { formatDay } from '../text/format.js'
import { type Dataset, type Snapshot, SnapshotTable } from './snapshot-table.js'

interface Props {
  id: string
  title: string
  snapshot: Snapshot | Dataset
  /** What the files are. */
  children: ComponentChildren
}

/** A snapshot with its files. */
export const SnapshotSection = ({ id, title, snapshot, children }: Props) => (
  <section class="block" aria-labelledby={id}>
    <div class="block-head">
      <h2 id={id}>{title}</h2>
      <p class="quiet small">
        <span class="mono">{snapshot.snapshot}</span>, written on{' '}
        <time dateTime={snapshot.generatedAt}>{formatDay(snapshot.generatedAt)}</time>
      </p>
    </div>
    <p class="quiet small">{children}</p>
    <SnapshotTable files={snapshot.files} />
  </section>
)
