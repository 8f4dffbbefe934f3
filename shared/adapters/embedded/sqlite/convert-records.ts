import { contentHash, contentOf } from '../../../records/content-hash.js'
import type { StoredSkill } from '../../../records/skill.js'
import { moreText, publicText } from './catalog/skill-record.js'
import { LogEnd } from './change-log/change-log.js'
import type { SqliteDatabase } from './database.js'

/** The number of rows that are read at a time. */
const rowsPerPage = 1_000

/** Logs the changes in the table `unlogged`, in their order. */
export function logUnlogged(db: SqliteDatabase): void {
  const log = new LogEnd(db, new Date())
  for (let place = 0; ; ) {
    // Read in pages: in a file of the first format, every skill is unlogged.
    const rows = db.all<{ place: number; rowid: number; record: string; content_hash: string | null }>(
      `SELECT u.rowid AS place, s.rowid AS rowid, record, content_hash FROM unlogged u JOIN skills s ON s.rowid = u.skill
       WHERE u.rowid > ? ORDER BY u.rowid LIMIT ${rowsPerPage}`,
      [place],
    )
    for (const { rowid, record, content_hash } of rows) {
      const skill = JSON.parse(record) as StoredSkill
      const hash = skill.state === 'published' ? contentHash(skill) : null
      if (hash !== content_hash) {
        log.append(rowid, hash)
      }
    }
    const last = rows.at(-1)
    if (last === undefined) {
      log.write()
      return
    }
    place = last.place
  }
}

/** Divides records into the public skill, as it is answered, and the other members. */
export function divideRecords(db: SqliteDatabase): void {
  for (let after = 0; ; ) {
    const rows = db.all<{ rowid: number; record: string }>(
      `SELECT rowid AS rowid, record FROM skills WHERE rowid > ? ORDER BY rowid LIMIT ${rowsPerPage}`,
      [after],
    )
    for (const { rowid, record } of rows) {
      const skill = JSON.parse(record) as StoredSkill
      const text = publicText(contentOf(skill), skill.indexedAt)
      db.run('UPDATE skills SET record = ?, more = ? WHERE rowid = ?', [text, moreText(skill), rowid])
      after = rowid
    }
    if (rows.length < rowsPerPage) {
      return
    }
  }
}
