import { join } from 'node:path'
import Database from 'libsql'
import type { StarHistory } from '../../../../ports/catalog.js'
import type { ScanPosition } from '../../../../ports/dataset-reader.js'
import type { DeadLetter } from '../../../../ports/document-ingest.js'
import type { Lock } from '../../../../ports/locks.js'
import type { PutOptions, PutResult } from '../../../../ports/record-writer.js'
import type { StoredRecords } from '../../../../records/records.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import { AppError, lockLost } from '../../../../runtime/errors.js'
import { canonicalJson } from '../../../../text/format-numbers.js'
import { recordToWrite } from '../../../../write-outcome.js'
import { makeFolder } from '../../../files/durable-file.js'
import type { SqliteDatabase, SqlRow, SqlValue } from '../database.js'
import { toAppError } from '../database-errors.js'
import { stateCodes, stateOf } from './skill-record.js'

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

/** Keeps dead letters; a letter that is kept already keeps its time. Must run inside a write transaction. */
export function keepDeadLetters(db: SqliteDatabase, letters: DeadLetter[]): void {
  for (const { id, reason, since, source } of letters) {
    const kept = 'ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, source = excluded.source'
    db.run(`INSERT INTO dead_letters VALUES (?, ?, ?, ?) ${kept}`, [id, reason, since, source])
  }
}

/** Drops the dead letters of these ids from one source; see the port. */
export function dropDeadLetters(db: SqliteDatabase, ids: string[], source: DeadLetter['source']): void {
  if (ids.length > 0) {
    const dropped = 'id IN (SELECT value FROM json_each(?)) AND source = ?'
    db.run(`DELETE FROM dead_letters WHERE ${dropped}`, [JSON.stringify(ids), source])
  }
}

/** Dead letters by id, after `afterId` (null: from the start). */
export const listDeadLetters = (db: SqliteDatabase, afterId: string | null, limit: number): DeadLetter[] =>
  db.all<DeadLetter & SqlRow>('SELECT id, reason, since, source FROM dead_letters WHERE id > ? ORDER BY id LIMIT ?', [
    afterId ?? '',
    limit,
  ])

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
  for (const { id, days, trend } of histories) {
    db.run('INSERT OR REPLACE INTO star_histories SELECT rowid, ? FROM skills WHERE id = ?', [JSON.stringify(days), id])
    // A row that has this trend already is not written again.
    db.run('UPDATE skills SET trend = ? WHERE id = ? AND trend IS NOT ?', [trend, id, trend])
  }
}

/** The ids of skills with a trend, also of 0, after `afterId` (null: from the start). */
export const listTrending = (db: SqliteDatabase, afterId: string | null, limit: number): string[] =>
  db
    .all<{ id: string } & SqlRow>(
      'SELECT id FROM skills INDEXED BY skills_trending WHERE trend IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
      [afterId ?? '', limit],
    )
    .map(({ id }) => id)

/** A prompt or an organization: a row with its state and all of it as JSON. */
export type StoredPlain = StoredRecords['prompts' | 'organizations']

/** Writes prompts or organizations. Must run inside a write transaction. */
export function putPlain(
  db: SqliteDatabase,
  type: 'prompts' | 'organizations',
  records: ReadonlyMap<string, StoredPlain>,
  options: PutOptions = {},
): PutResult {
  const held: string[] = []
  const counts: PutResult = { added: 0, changed: 0, unchanged: 0, ...(options.holdChanges ? { held } : {}) }
  for (const [id, given] of records) {
    const before = db.get<{ state: number; record: string }>(`SELECT state, record FROM ${type} WHERE id = ?`, [id])
    const stored = before && { state: stateOf(before.state), members: () => JSON.parse(before.record) }
    const record = recordToWrite(id, given, stored, options)
    const text = canonicalJson(record)
    if (before?.record === text) {
      counts.unchanged += 1
      continue
    }
    if (before !== null && options.holdChanges) {
      held.push(id)
      continue
    }
    db.run(`INSERT OR REPLACE INTO ${type} VALUES (?, ?, ?)`, [id, stateCodes[record.state], text])
    counts[before === null ? 'added' : 'changed'] += 1
  }
  return counts
}

/** Published skills by id, after `afterId` (null: from the start). */
export const scanById = (db: SqliteDatabase, afterId: string | null, limit: number): Skill[] =>
  readSkills(db, 'skills WHERE state = 0 AND id > ? ORDER BY id LIMIT ?', [afterId ?? '', limit])

/** Published skills by stars, the order of documents in the index: a page of them is written in one place. */
export function scanByStars(db: SqliteDatabase, after: ScanPosition | null, limit: number): Skill[] {
  const skills: Skill[] = []
  const read = (condition: string, values: SqlValue[]) => {
    const source = `skills INDEXED BY skills_by_stars WHERE state = 0 AND ${condition} ORDER BY stars DESC, id LIMIT ?`
    skills.push(...readSkills(db, source, [...values, limit - skills.length]))
  }
  return db.read(() => {
    if (after !== null) {
      read('stars IS ? AND id > ?', [after.stars, after.id])
    }
    if (after?.stars !== null) {
      read('stars < ?', [after?.stars ?? Number.MAX_SAFE_INTEGER])
      read('stars IS NULL', [])
    }
    return skills
  })
}

/** @param source what follows FROM */
const readSkills = (db: SqliteDatabase, source: string, values: SqlValue[]): Skill[] =>
  db.all<{ record: string }>(`SELECT record FROM ${source}`, values).map(skillOf)
