import {
  type ChangeLog,
  type ChangePage,
  type LogBounds,
  type LoggedChange,
  nextSequence,
  sequenceStep,
} from '../../../../ports/change-log.js'
import type { SqliteDatabase } from '../database.js'

/** Entries of the log: the skills that were ever published, except dropped removals. */
const columns = 'id, sequence, content_hash, changed_at'

type EntryRow = { id: string; sequence: number; content_hash: string | null; changed_at: string }

/**
 * The change log in the catalog's SQLite file. An entry is a part of its skill's row, so that a record and its change
 * are one write; see `writeSkills`.
 */
export class SqliteChangeLog implements ChangeLog {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  async bounds(): Promise<LogBounds> {
    return this.#bounds()
  }

  async after(sequence: number, limit: number): Promise<ChangePage> {
    return this.#db.read(() => {
      const bounds = this.#bounds()
      const rows = this.#db.all<EntryRow>(
        `SELECT ${columns} FROM skills WHERE sequence > ? ORDER BY sequence LIMIT ?`,
        [sequence, limit],
      )
      return { changes: rows.map(toEntry), ...bounds }
    })
  }

  async latest(limit: number): Promise<LoggedChange[]> {
    return this.#db
      .all<EntryRow>(`SELECT ${columns} FROM skills WHERE sequence > 0 ORDER BY sequence DESC LIMIT ?`, [limit])
      .map(toEntry)
  }

  async entriesOf(ids: string[]): Promise<LoggedChange[]> {
    return this.logged(ids)
  }

  async logged(ids: string[]): Promise<LoggedChange[]> {
    return this.#db
      .all<EntryRow>(
        `SELECT ${columns} FROM skills WHERE sequence IS NOT NULL AND id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      )
      .map(toEntry)
  }

  async listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return this.#db
      .all<{ id: string; content_hash: string }>(
        'SELECT id, content_hash FROM skills WHERE id > ? AND content_hash IS NOT NULL ORDER BY id LIMIT ?',
        [afterId ?? '', limit],
      )
      .map((row) => ({ id: row.id, contentHash: row.content_hash }))
  }

  async countPublished(): Promise<number> {
    return this.#db.get<{ n: number }>('SELECT count(*) AS n FROM skills WHERE content_hash IS NOT NULL')?.n ?? 0
  }

  async prune(before: Date): Promise<number> {
    return this.#db.write(() => {
      const old = 'content_hash IS NULL AND sequence IS NOT NULL AND changed_at < ?'
      const time = before.toISOString()
      this.#db.run(
        `UPDATE change_log SET horizon = max(horizon, (SELECT coalesce(max(sequence), 0) FROM skills WHERE ${old}))`,
        [time],
      )
      return this.#db.run(`UPDATE skills SET sequence = NULL, changed_at = NULL WHERE ${old}`, [time])
    })
  }

  #bounds(): LogBounds {
    const {
      head = 0,
      horizon = 0,
      catalog = null,
    } = this.#db.get<{ head: number; horizon: number; catalog: string }>(
      'SELECT head, horizon, catalog FROM change_log',
    ) ?? {}
    return { head, horizon, complete: true, catalog }
  }
}

const toEntry = ({ id, sequence, content_hash, changed_at }: EntryRow): LoggedChange => ({
  id,
  sequence,
  contentHash: content_hash,
  changedAt: changed_at,
})

/** The end of the change log, moved by a batch of changes. Must be used inside a write transaction. */
export class LogEnd {
  readonly #db: SqliteDatabase
  readonly #now: Date
  readonly #start: number
  #head: number

  /** @param now the time of the changes */
  constructor(db: SqliteDatabase, now: Date) {
    this.#db = db
    this.#now = now
    this.#start = Number(db.get('SELECT head FROM change_log')?.['head'] ?? 0)
    this.#head = this.#start
  }

  /** The sequence of the next change. */
  next(): number {
    this.#head = nextSequence(this.#head, this.#now)
    return this.#head
  }

  /** Logs a change of a row. @param hash of the public content; null: no longer published */
  append(rowid: number, hash: string | null): void {
    this.#db.run('UPDATE skills SET sequence = ?, content_hash = ?, changed_at = ? WHERE rowid = ?', [
      this.next(),
      hash,
      this.#now.toISOString(),
      rowid,
    ])
  }

  write(): void {
    if (this.#head !== this.#start) {
      // No reader can continue from before the first change.
      const first = nextSequence(0, this.#now) - sequenceStep
      this.#db.run('UPDATE change_log SET head = ?, horizon = CASE head WHEN 0 THEN ? ELSE horizon END', [
        this.#head,
        first,
      ])
    }
  }
}
