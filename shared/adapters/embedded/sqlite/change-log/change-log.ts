import {
  type ChangeLog,
  type LogBounds,
  type LoggedChange,
  nextSequence,
  sequenceStep,
} from '../../../../ports/change-log.js'
import type { SqliteDatabase, SqlValue } from '../database.js'

/** Entries of the log: the skills that were ever published, except dropped removals. */
const columns = 'id, sequence, content_hash, changed_at'

type EntryRow = { id: string; sequence: number; content_hash: string | null; changed_at: string }

/**
 * The change log in the catalog's SQLite file. An entry is a part of its skill's row, so that a record and its change
 * are one write; see `writeSkills`.
 */
export function changeLogIn(db: SqliteDatabase): ChangeLog {
  /** @param rest what follows WHERE */
  const entries = (rest: string, values: SqlValue[]): LoggedChange[] =>
    db
      .all<EntryRow>(`SELECT ${columns} FROM skills WHERE ${rest}`, values)
      .map(({ id, sequence, content_hash, changed_at }) => ({
        id,
        sequence,
        contentHash: content_hash,
        changedAt: changed_at,
      }))
  const bounds = (): LogBounds => {
    const row = db.get<{ head: number; horizon: number; catalog: string }>(
      'SELECT head, horizon, catalog FROM change_log',
    )
    return { head: 0, horizon: 0, catalog: null, ...row, complete: true }
  }
  const logged = async (ids: string[]) =>
    entries('sequence IS NOT NULL AND id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)])
  return {
    bounds: async () => bounds(),
    after: async (sequence, limit) =>
      db.read(() => ({ changes: entries('sequence > ? ORDER BY sequence LIMIT ?', [sequence, limit]), ...bounds() })),
    latest: async (limit) => entries('sequence > 0 ORDER BY sequence DESC LIMIT ?', [limit]),
    entriesOf: logged,
    logged,
    listPublished: async (afterId, limit) =>
      db
        .all<{ id: string; content_hash: string }>(
          'SELECT id, content_hash FROM skills WHERE id > ? AND content_hash IS NOT NULL ORDER BY id LIMIT ?',
          [afterId ?? '', limit],
        )
        .map(({ id, content_hash }) => ({ id, contentHash: content_hash })),
    countPublished: async () => db.value('SELECT count(*) FROM skills WHERE content_hash IS NOT NULL') ?? 0,
    prune: async (before) =>
      db.write(() => {
        const old = 'content_hash IS NULL AND sequence IS NOT NULL AND changed_at < ?'
        const time = before.toISOString()
        db.run(
          `UPDATE change_log SET horizon = max(horizon, (SELECT coalesce(max(sequence), 0) FROM skills WHERE ${old}))`,
          [time],
        )
        return db.run(`UPDATE skills SET sequence = NULL, changed_at = NULL WHERE ${old}`, [time])
      }),
  }
}

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
    this.#start = db.value('SELECT head FROM change_log') ?? 0
    this.#head = this.#start
  }

  /** The sequence of the next change. */
  next(): number {
    this.#head = nextSequence(this.#head, this.#now)
    return this.#head
  }

  /** Whether a row with this sequence was logged here. */
  has(sequence: number | null): boolean {
    return sequence !== null && sequence > this.#start
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
