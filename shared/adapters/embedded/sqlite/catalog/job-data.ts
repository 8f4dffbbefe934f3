import type { DeadLetter } from '../../../../ports/dead-letters.js'
import type { SqliteDatabase, SqlRow } from '../database.js'

/** The state of the jobs under a key; null: there is none. */
export function readState<T>(db: SqliteDatabase, key: string): T | null {
  const row = db.get<{ value: string }>('SELECT value FROM state WHERE key = ?', [key])
  return row === null ? null : (JSON.parse(row.value) as T)
}

/** @param value null or undefined: it is deleted */
export function writeState(db: SqliteDatabase, key: string, value: unknown): void {
  if (value === null || value === undefined) {
    db.run('DELETE FROM state WHERE key = ?', [key])
  } else {
    db.run('INSERT OR REPLACE INTO state VALUES (?, ?)', [key, JSON.stringify(value)])
  }
}

/** Keeps dead letters; of one that is kept already its time stays. Must run inside a write transaction. */
export function keepDeadLetters(db: SqliteDatabase, letters: DeadLetter[]): void {
  for (const { id, reason, since, source } of letters) {
    const kept = 'ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, source = excluded.source'
    db.run(`INSERT INTO dead_letters VALUES (?, ?, ?, ?) ${kept}`, [id, reason, since, source])
  }
}

export function dropDeadLetters(db: SqliteDatabase, ids: string[], source: DeadLetter['source']): void {
  if (ids.length > 0) {
    const dropped = 'id IN (SELECT value FROM json_each(?)) AND source = ?'
    db.run(`DELETE FROM dead_letters WHERE ${dropped}`, [JSON.stringify(ids), source])
  }
}

export const listDeadLetters = (db: SqliteDatabase, afterId: string | null, limit: number): DeadLetter[] =>
  db.all<DeadLetter & SqlRow>('SELECT id, reason, since, source FROM dead_letters WHERE id > ? ORDER BY id LIMIT ?', [
    afterId ?? '',
    limit,
  ])
