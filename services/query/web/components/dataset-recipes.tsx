import { CodeLine } from './code-line.js'
import type { Dataset, Snapshot } from './snapshot-table.js'
import { WholeCatalogRecipes } from './whole-catalog-recipes.js'

interface Props {
  origin: string
  snapshot: Snapshot
  dataset: Dataset | null
}

/** How the files are downloaded, checked and loaded. */
export function DatasetRecipes({ origin, snapshot, dataset }: Props) {
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
