import { SqliteDatabase, type SqlValue } from '../../shared/adapters/embedded/sqlite/database.js'
import type { Skill } from '../../shared/records/skill.js'
import { wordsIn } from '../../shared/text/analyze.js'
import { batchesOf, type RecordSet } from './record-sets.js'
import type { SearchSystem } from './search-system.js'

/** Records of one transaction. */
const batchSize = 1_000

/** Writes the records into one bare table. @returns the milliseconds that it takes */
export async function bareImport(set: RecordSet, path: string): Promise<number> {
  const db = new SqliteDatabase(path)
  db.exec('CREATE TABLE skills (id TEXT PRIMARY KEY, record TEXT NOT NULL)')
  const ms = await insertAll(db, set, 'INSERT OR REPLACE INTO skills VALUES (?, ?)', ({ id }, line) => [id, line])
  db.close()
  return ms
}

/** Writes the words of the records into one bare FTS5 index. @returns the milliseconds that it takes */
export async function bareIndex(set: RecordSet, path: string): Promise<number> {
  const db = new SqliteDatabase(path)
  db.exec(
    `CREATE VIRTUAL TABLE words USING fts5 (name, repo, topics, description, owner, content = '', prefix = '1 2 3')`,
  )
  const insert = 'INSERT INTO words (name, repo, topics, description, owner) VALUES (?, ?, ?, ?, ?)'
  const ms = await insertAll(db, set, insert, ({ name, repo, topics, description, owner }) => [
    name,
    repo,
    topics.join(' '),
    description,
    owner,
  ])
  db.close()
  return ms
}

async function insertAll(
  db: SqliteDatabase,
  set: RecordSet,
  insert: string,
  valuesOf: (skill: Skill, line: string) => SqlValue[],
): Promise<number> {
  const startedAt = performance.now()
  for await (const lines of batchesOf(set, batchSize)) {
    db.write(() => {
      for (const line of lines) {
        db.run(insert, valuesOf(JSON.parse(line) as Skill, line))
      }
    })
  }
  return performance.now() - startedAt
}

/**
 * The index of `bareIndex`, queried in this process without HTTP: the best 20 by bm25 with all words of the query, the
 * last one as a prefix. It knows no query syntax.
 */
export function openBareFts5(path: string): SearchSystem {
  const db = new SqliteDatabase(path)
  const search = (query: string): void => {
    const words = wordsIn(query).map((word) => `"${word}"`)
    if (words.length > 0) {
      db.all('SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 10, 8, 3, 2, 1) LIMIT 20', [
        `${words.join(' AND ')}*`,
      ])
    }
  }
  return {
    name: 'bare FTS5, in the process',
    openLane: () => ({
      async ask(query) {
        search(query)
        return true
      },
      close() {},
    }),
  }
}
