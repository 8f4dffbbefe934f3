import { cleanRecord, mayNeedCleaning } from '../../../privacy/public-record.js'
import { contentHash, contentOf } from '../../../records/content-hash.js'
import { recordTypes } from '../../../records/records.js'
import type { StoredSkill } from '../../../records/skill.js'
import { canonicalJson } from '../../../text/format-numbers.js'
import { moreText, publicText, type RecordRow, recordColumns, storedSkill } from './catalog/skill-record.js'
import { writeSkills } from './catalog/skill-writes.js'
import { LogEnd } from './change-log/change-log.js'
import type { SqliteDatabase, SqlRow } from './database.js'

const rowsPerPage = 1_000

/**
 * Rows that a statement yields in the order of their places, a page of them at a time: a file may have millions.
 *
 * @param sql binds the place after which a page begins, and the length of pages
 */
function* inPages<Row extends SqlRow>(db: SqliteDatabase, sql: string): Generator<Row & { place: number }> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: (Row & { place: number })[] = db.all(sql, [after, rowsPerPage])
    yield* rows
    after = rows.at(-1)?.place
  }
}

/** Logs the changes in the table `unlogged`, in their order. */
export function logUnlogged(db: SqliteDatabase): void {
  const log = new LogEnd(db, new Date())
  const rows = inPages<{ skill: number; record: string; content_hash: string | null }>(
    db,
    `SELECT u.rowid AS place, u.skill AS skill, record, content_hash FROM unlogged u JOIN skills s ON s.rowid = u.skill
     WHERE u.rowid > ? ORDER BY u.rowid LIMIT ?`,
  )
  for (const { skill: rowid, record, content_hash } of rows) {
    const skill = JSON.parse(record) as StoredSkill
    const hash = skill.state === 'published' ? contentHash(skill) : null
    if (hash !== content_hash) {
      log.append(rowid, hash)
    }
  }
  log.write()
}

/** Divides records into the public skill, as it is answered, and the other members. */
export function divideRecords(db: SqliteDatabase): void {
  const rows = inPages<{ record: string }>(
    db,
    'SELECT rowid AS place, record FROM skills WHERE rowid > ? ORDER BY rowid LIMIT ?',
  )
  for (const { place, record } of rows) {
    const skill = JSON.parse(record) as StoredSkill
    const text = publicText(contentOf(skill), skill.indexedAt)
    db.run('UPDATE skills SET record = ?, more = ? WHERE rowid = ?', [text, moreText(skill), place])
  }
}

/**
 * Removes e-mail addresses, credentials and invisible characters from the public fields of records that earlier versions
 * have stored. Skills are written by `writeSkills`, so that facets and the change log follow. Must run inside a write
 * transaction.
 */
export function cleanStoredRecords(db: SqliteDatabase): void {
  const now = new Date()
  for (const type of recordTypes) {
    const columns = type === 'skills' ? recordColumns : 'record'
    const rows = inPages<RecordRow>(
      db,
      `SELECT rowid AS place, ${columns} FROM ${type} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
    for (const { place, ...row } of rows) {
      if (!mayNeedCleaning(row.record)) {
        continue
      }
      const stored: Record<string, unknown> = type === 'skills' ? { ...storedSkill(row) } : JSON.parse(row.record)
      const cleaned = cleanRecord(stored)
      if (cleaned === stored) {
        continue
      }
      if (type === 'skills') {
        writeSkills(db, [cleaned as unknown as StoredSkill], now)
      } else {
        const id = type === 'organizations' ? cleaned['login'] : cleaned['id']
        // Prompts whose ids differed only in what was removed become one.
        db.run(`UPDATE OR REPLACE ${type} SET id = ?, record = ? WHERE rowid = ?`, [
          String(id),
          canonicalJson(cleaned),
          place,
        ])
      }
    }
  }
}
