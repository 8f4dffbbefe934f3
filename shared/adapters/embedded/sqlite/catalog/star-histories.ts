import { randomUUID } from 'node:crypto'
import type { StarHistory } from '../../../../ports/star-histories.js'
import { stateKeys } from '../../../../state-keys.js'
import type { SqliteDatabase, SqlRow } from '../database.js'

/** The histories of these ids. */
export const readHistories = (db: SqliteDatabase, ids: string[]): StarHistory[] =>
  db
    .all<{ id: string; days: string } & SqlRow>(
      `SELECT s.id AS id, h.days AS days FROM json_each(?) wanted CROSS JOIN skills s ON s.id = wanted.value
       CROSS JOIN star_histories h ON h.skill = s.rowid`,
      [JSON.stringify(ids)],
    )
    .map(({ id, days }) => ({ id, days: JSON.parse(days) }))

/** Stores histories, and the trend next to the skill, where its list is sorted. Must run inside a write transaction. */
export function writeHistories(db: SqliteDatabase, histories: (StarHistory & { trend: number | null })[]): void {
  let moved = 0
  for (const { id, days, trend } of histories) {
    db.run('INSERT OR REPLACE INTO star_histories SELECT rowid, ? FROM skills WHERE id = ?', [JSON.stringify(days), id])
    // A row that has this trend already is not written again.
    moved += db.run('UPDATE skills SET trend = ? WHERE id = ? AND trend IS NOT ?', [trend, id, trend])
  }
  if (moved > 0) {
    db.run('INSERT OR REPLACE INTO state VALUES (?, ?)', [stateKeys.trendsVersion, JSON.stringify(randomUUID())])
  }
}

/** Another text after each move of trends; null before the first one. */
export const trendsVersion = (db: SqliteDatabase): string | null =>
  db.get<{ value: string }>('SELECT value FROM state WHERE key = ?', [stateKeys.trendsVersion])?.value ?? null

export const listTrending = (db: SqliteDatabase, afterId: string | null, limit: number): string[] =>
  db
    .all<{ id: string } & SqlRow>(
      'SELECT id FROM skills INDEXED BY skills_trending WHERE trend IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
      [afterId ?? '', limit],
    )
    .map(({ id }) => id)
