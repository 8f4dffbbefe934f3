import { CodeLine } from './code-line.js'
import type { Dataset } from './snapshot-table.js'

interface Props {
  origin: string
  dataset: Dataset
}

/** How the files with every record are loaded. */
export function WholeCatalogRecipes({ origin, dataset }: Props) {
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
