import { type RecordType, recordTypes } from '../../../../records/records.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { canonicalJson } from '../../../../text/canonical-json.js'
import { cleanRecord, mayNeedCleaning } from '../../../../text/public-record.js'
import type { SqliteDatabase } from '../database.js'
import { type RecordRow, recordColumns, storedSkill } from './skill-record.js'
import { writeSkills } from './skill-writes.js'

/** The number of rows that are read at a time. */
const rowsPerPage = 1_000

/**
 * Removes e-mail addresses, credentials and invisible characters from the public fields of records that earlier versions
 * have stored. Skills are written by `writeSkills`, so that facets and the change log follow. Must run inside a write
 * transaction.
 */
export function cleanStoredRecords(db: SqliteDatabase): void {
  const now = new Date()
  for (const type of recordTypes) {
    for (const { rowid, record } of recordsToClean(db, type)) {
      if (type === 'skills') {
        writeSkills(db, [record as unknown as StoredSkill], now)
      } else {
        const id = type === 'organizations' ? record['login'] : record['id']
        // Prompts whose ids differed only in what was removed become one.
        db.run(`UPDATE OR REPLACE ${type} SET id = ?, record = ? WHERE rowid = ?`, [
          String(id),
          canonicalJson(record),
          rowid,
        ])
      }
    }
  }
}

/** The records with something to remove, after its removal. */
function* recordsToClean(
  db: SqliteDatabase,
  type: RecordType,
): Generator<{ rowid: number; record: Record<string, unknown> }> {
  let after = 0
  for (;;) {
    const columns = type === 'skills' ? recordColumns : 'record'
    const rows = db.all<RecordRow & { rowid: number }>(
      `SELECT rowid AS rowid, ${columns} FROM ${type} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
      [after, rowsPerPage],
    )
    for (const { rowid, ...row } of rows) {
      after = rowid
      const read = (): Record<string, unknown> => (type === 'skills' ? storedSkill(row) : JSON.parse(row.record))
      const stored = mayNeedCleaning(row.record) ? read() : null
      const cleaned = stored === null ? null : cleanRecord(stored)
      if (cleaned !== null && cleaned !== stored) {
        yield { rowid, record: cleaned }
      }
    }
    if (rows.length < rowsPerPage) {
      return
    }
  }
}
