import { join } from 'node:path'
import Database from 'libsql'
import type { StarHistories, StateStore } from '../../../../ports/catalog.js'
import type { DeadLetter, DeadLetters } from '../../../../ports/document-ingest.js'
import type { Lock } from '../../../../ports/locks.js'
import { AppError, lockLost } from '../../../../runtime/errors.js'
import { makeFolder } from '../../../files/durable-file.js'
import type { SqliteDatabase, SqlRow } from '../database.js'
import { toAppError } from '../database-errors.js'

/**
 * Takes a lock that the operating system releases when the process ends for any reason: SQLite's exclusive lock on an
 * empty file. It needs no lease, and no guess whether its owner is alive.
 *
 * @returns null when this or another process holds it
 * @throws AppError `data_folder_unusable` when the file cannot be written
 */
export function takeFileLock(folder: string, name: string): Lock | null {
  makeFolder(folder)
  const path = join(folder, `${name}.lock`)
  const db = openFile(path)
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    const translated = toAppError(error, path)
    if (translated instanceof AppError && translated.code === 'catalog_unavailable') {
      return null
    }
    throw translated
  }
  return {
    name,
    // A running process never loses it.
    epoch: 0,
    takenOver: false,
    lost: new AbortController().signal,
    check: () => {
      if (!db.open) {
        throw lockLost(name)
      }
    },
    release: async () => {
      db.close()
    },
  }
}

function openFile(path: string): Database.Database {
  try {
    return new Database(path)
  } catch (error) {
    throw toAppError(error, path)
  }
}

/** The state of the jobs, see the port. */
export const stateStore = (db: SqliteDatabase): StateStore => ({
  readState: async <T>(key: string) => {
    const value = db.value<string>('SELECT value FROM state WHERE key = ?', [key])
    return value === null ? null : (JSON.parse(value) as T)
  },

  writeState: async (key, value) => {
    if (value === null || value === undefined) {
      db.run('DELETE FROM state WHERE key = ?', [key])
    } else {
      db.run('INSERT OR REPLACE INTO state VALUES (?, ?)', [key, JSON.stringify(value)])
    }
  },
})

/** The dead letters, see the port. */
export const deadLetters = (db: SqliteDatabase): DeadLetters => ({
  keepDeadLetters: async (letters) =>
    db.write(() => {
      for (const { id, reason, since, source } of letters) {
        const kept = 'ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, source = excluded.source'
        db.run(`INSERT INTO dead_letters VALUES (?, ?, ?, ?) ${kept}`, [id, reason, since, source])
      }
    }),

  dropDeadLetters: async (ids, source) => {
    if (ids.length > 0) {
      const dropped = 'id IN (SELECT value FROM json_each(?)) AND source = ?'
      db.run(`DELETE FROM dead_letters WHERE ${dropped}`, [JSON.stringify(ids), source])
    }
  },

  listDeadLetters: async (afterId, limit) =>
    db.all<DeadLetter & SqlRow>('SELECT id, reason, since, source FROM dead_letters WHERE id > ? ORDER BY id LIMIT ?', [
      afterId ?? '',
      limit,
    ]),
})

/** The histories of stars, see the port. */
export const starHistories = (db: SqliteDatabase): StarHistories => ({
  readHistories: async (ids) =>
    db
      .all<{ id: string; days: string }>(
        `SELECT s.id AS id, h.days AS days FROM json_each(?) wanted CROSS JOIN skills s ON s.id = wanted.value
         CROSS JOIN star_histories h ON h.skill = s.rowid`,
        [JSON.stringify(ids)],
      )
      .map(({ id, days }) => ({ id, days: JSON.parse(days) })),

  writeHistories: async (histories) =>
    db.write(() => {
      for (const { id, days, trend } of histories) {
        db.run('INSERT OR REPLACE INTO star_histories SELECT rowid, ? FROM skills WHERE id = ?', [
          JSON.stringify(days),
          id,
        ])
        // The trend stands next to the skill, where its list is sorted. A row that has it already is not written again.
        db.run('UPDATE skills SET trend = ? WHERE id = ? AND trend IS NOT ?', [trend, id, trend])
      }
    }),

  listTrending: async (afterId, limit) =>
    db.column<string>(
      'SELECT id FROM skills INDEXED BY skills_trending WHERE trend IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
      [afterId ?? '', limit],
    ),
})
