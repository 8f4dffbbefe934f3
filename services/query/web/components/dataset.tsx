import type { ComponentChildren } from 'preact'
import { formatBytes, formatNumber } from '../../../../shared/text/format-numbers.js'
import type { SnapshotsAnswer } from '../api/answers.js'
import { formatDay } from '../text/format.js'
import { CodeLine } from './basic.js'

interface DatasetRecipesProps {
  origin: string
  snapshot: Snapshot
  dataset: Dataset | null
}

/** How the files are downloaded, checked and loaded. */
export function DatasetRecipes({ origin, snapshot, dataset }: DatasetRecipesProps) {
  const address = (format: string) => `${origin}/api/v1/export?type=skills&format=${format}`
  const csv = snapshot.files.find(
    ({ type, format, encoding }) => type === 'skills' && format === 'csv' && encoding === 'identity',
  )
  return (
    <div class="recipes">
      <CodeLine
        label="Download the newest files"
        code={[`curl -f -o skills.csv '${address('csv')}'`, `curl -f -o skills.ndjson '${address('ndjson')}'`].join(
          '\n',
        )}
      />
      {csv === undefined ? null : (
        <CodeLine
          label="Check a file of this snapshot"
          code={[`curl -f -o skills.csv ${origin}${csv.path}`, `echo '${csv.sha256}  skills.csv' | sha256sum -c`].join(
            '\n',
          )}
        />
      )}
      <CodeLine
        label="pandas"
        code={[
          'import pandas as pd',
          '',
          `skills = pd.read_json('${address('ndjson')}', lines=True)`,
          "skills.explode('topics').groupby('topics')['stars'].sum(min_count=1).nlargest(10)",
        ].join('\n')}
      />
      <CodeLine
        label="DuckDB, after the download"
        code={[
          "SELECT language, count(*) AS skills, sum(stars) AS stars FROM 'skills.ndjson'",
          'GROUP BY language ORDER BY skills DESC;',
        ].join('\n')}
      />
      <CodeLine
        label="SQLite, after the download"
        code={[
          "sqlite3 skills.db '.import --csv skills.csv skills' \\",
          '  "SELECT name, stars FROM skills ORDER BY CAST(stars AS INTEGER) DESC LIMIT 10"',
        ].join('\n')}
      />
      {dataset === null ? null : <WholeCatalogRecipes origin={origin} dataset={dataset} />}
    </div>
  )
}

interface WholeCatalogRecipesProps {
  origin: string
  dataset: Dataset
}

/** How the files with every record are loaded. */
function WholeCatalogRecipes({ origin, dataset }: WholeCatalogRecipesProps) {
  const address = (name: string) => `${origin}/api/v1/exports/${dataset.snapshot}/${name}`
  return (
    <>
      <CodeLine
        label="Download every record"
        code={['skills.parquet', 'organizations.parquet', 'catalog.sqlite']
          .map((name) => `curl -f -O ${address(name)}`)
          .join('\n')}
      />
      <CodeLine
        label="DuckDB, every record"
        code={[
          'SELECT topic, count(*) AS skills, sum(stars) AS stars',
          "FROM (SELECT unnest(topics) AS topic, stars FROM 'skills.parquet')",
          'GROUP BY topic ORDER BY skills DESC LIMIT 10;',
        ].join('\n')}
      />
      <CodeLine
        label="DuckDB, skills with their organizations"
        code={[
          'SELECT login, o.name, count(*) AS skills, sum(s.stars) AS stars',
          "FROM 'skills.parquet' s JOIN 'organizations.parquet' o ON organization = login",
          'GROUP BY ALL ORDER BY stars DESC NULLS LAST LIMIT 10;',
        ].join('\n')}
      />
      <CodeLine
        label="SQLite, every record, with full-text search"
        code={[
          `sqlite3 catalog.sqlite "SELECT id, stars FROM skills_text('invoice OR receipt')`,
          '  JOIN skills ON number = skills_text.rowid ORDER BY rank LIMIT 10"',
        ].join('\n')}
      />
    </>
  )
}

interface SnapshotSectionProps {
  id: string
  title: string
  snapshot: Snapshot | Dataset
  /** What the files are. */
  children: ComponentChildren
}

/** A snapshot with its files. */
export const SnapshotSection = ({ id, title, snapshot, children }: SnapshotSectionProps) => (
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

export type Snapshot = SnapshotsAnswer['data'][number]
/** Every record of the catalog. */
export type Dataset = SnapshotsAnswer['datasets'][number]
type File = Dataset['files'][number] | Snapshot['files'][number]

/** The files of a snapshot, each with its size in every encoding. */
function SnapshotTable({ files }: { files: readonly File[] }) {
  const plain = files.filter(({ encoding }) => encoding === 'identity')
  const sizeOf = (file: File, encoding: File['encoding']) => {
    const same = files.find((other) => other.path === file.path && other.encoding === encoding)
    return same === undefined ? '–' : formatBytes(same.bytes)
  }
  return (
    <table class="files">
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col">Rows</th>
          <th scope="col">Size</th>
          <th scope="col">gzip</th>
          <th scope="col">br</th>
          <th scope="col">SHA-256</th>
        </tr>
      </thead>
      <tbody>
        {plain.map((file) => (
          <tr key={file.path}>
            <th scope="row">
              <a href={file.path} download>
                {file.path.split('/').at(-1)}
              </a>
            </th>
            <td data-column="Rows">
              {formatNumber(file.rows)}
              {file.truncated ? ` of ${formatNumber(file.total)}` : ''}
            </td>
            <td data-column="Size">{formatBytes(file.bytes)}</td>
            <td data-column="gzip">{sizeOf(file, 'gzip')}</td>
            <td data-column="br">{sizeOf(file, 'br')}</td>
            <td data-column="SHA-256" class="mono digest">
              {file.sha256}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
