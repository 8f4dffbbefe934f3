import Database from 'libsql'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { type Column, columnsOf, type Row } from './read-catalog.js'

type SqlValue = string | number | null

interface Statement {
  run(values: SqlValue[]): unknown
}

/** Constraints of columns beyond their types. An owner is written in any case, a login in lower case. */
const constraints: Record<RecordType, Record<string, string>> = {
  skills: { id: 'UNIQUE', owner: 'COLLATE NOCASE', organization: 'COLLATE NOCASE' },
  prompts: { id: 'PRIMARY KEY' },
  organizations: { login: 'PRIMARY KEY COLLATE NOCASE' },
}

/** The file is written once: when the process ends before that, it is deleted. */
const settings = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -16000;
`

const tables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT) WITHOUT ROWID;
  ${recordTypes.map(tableOf).join('\n')}
  CREATE TABLE skill_topics (
    skill INTEGER NOT NULL REFERENCES skills (number),
    topic TEXT NOT NULL,
    PRIMARY KEY (skill, topic)
  ) WITHOUT ROWID;
  CREATE VIRTUAL TABLE skills_text USING fts5(
    name, description, topics, content = 'skills', content_rowid = 'number',
    tokenize = 'porter unicode61 remove_diacritics 2'
  );
`

/** Made before the rows, so that no single statement takes long: a process must be able to end. */
const indexes = `
  CREATE INDEX skills_by_stars ON skills (stars DESC);
  CREATE INDEX skills_by_owner ON skills (owner);
  CREATE INDEX skills_by_organization ON skills (organization);
  CREATE INDEX skill_topics_by_topic ON skill_topics (topic, skill);
`

/** The whole catalog as an SQLite file. */
export class SqliteFile {
  readonly #db: Database.Database
  readonly #insert: Record<RecordType, Statement>
  readonly #insertTopic: Statement
  readonly #insertText: Statement
  /** The number of the last skill. */
  #number = 0

  /** @param meta what the table `meta` has, by name */
  constructor(path: string, meta: Record<string, string | null>) {
    this.#db = new Database(path)
    this.#db.exec(settings)
    this.#db.exec(tables)
    this.#db.exec(indexes)
    const insertMeta = this.#prepare('INSERT INTO meta VALUES (?, ?)')
    for (const [name, value] of Object.entries(meta)) {
      insertMeta.run([name, value])
    }
    const insert = (type: RecordType, first = '') =>
      this.#prepare(
        `INSERT INTO ${type} VALUES (${first}${columnsOf(type)
          .map(() => '?')
          .join(', ')})`,
      )
    this.#insert = {
      skills: insert('skills', '?, '),
      prompts: insert('prompts'),
      organizations: insert('organizations'),
    }
    this.#insertTopic = this.#prepare('INSERT OR IGNORE INTO skill_topics VALUES (?, ?)')
    this.#insertText = this.#prepare('INSERT INTO skills_text (rowid, name, description, topics) VALUES (?, ?, ?, ?)')
  }

  add(type: RecordType, rows: Row[]): void {
    const all = columnsOf(type)
    this.#db.exec('BEGIN')
    for (const row of rows) {
      const values = all.map(([name, { kind }]) => toSql(kind, row[name]))
      if (type === 'skills') {
        this.#number += 1
        this.#insert.skills.run([this.#number, ...values])
        this.#addText(row)
      } else {
        this.#insert[type].run(values)
      }
    }
    this.#db.exec('COMMIT')
  }

  /** Closes the file. */
  finish(): void {
    // Looks at a part of each index.
    this.#db.exec('PRAGMA analysis_limit = 1000')
    this.#db.exec('ANALYZE')
    this.#db.close()
  }

  #addText({ name, description, topics }: Row): void {
    const list = topics as string[]
    for (const topic of list) {
      this.#insertTopic.run([this.#number, topic])
    }
    this.#insertText.run([this.#number, toSql('text', name), toSql('text', description), toSql('list', list)])
  }

  #prepare(sql: string): Statement {
    return this.#db.prepare(sql) as unknown as Statement
  }
}

function tableOf(type: RecordType): string {
  const own = constraints[type]
  const declared = columnsOf(type).map(([name, { kind, nullable }]) =>
    [
      `"${name}"`,
      kind === 'integer' || kind === 'boolean' ? 'INTEGER' : 'TEXT',
      nullable ? '' : 'NOT NULL',
      own[name] ?? '',
    ]
      .join(' ')
      .trim(),
  )
  return `CREATE TABLE ${type} (${[...(type === 'skills' ? ['number INTEGER PRIMARY KEY'] : []), ...declared].join(', ')});`
}

/** Lists are JSON, times ISO-8601, true and false 1 and 0. */
function toSql(kind: Column['kind'], value: unknown): SqlValue {
  if (value === null) {
    return null
  }
  return kind === 'list' ? JSON.stringify(value) : kind === 'boolean' ? Number(value) : (value as SqlValue)
}
