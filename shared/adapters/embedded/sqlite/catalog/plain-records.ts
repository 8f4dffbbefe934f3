import type { PutResult } from '../../../../ports/record-writer.js'
import type { StoredRecords } from '../../../../records/records.js'
import { canonicalJson } from '../../../../text/canonical-json.js'
import type { SqliteDatabase } from '../database.js'
import { stateCodes } from './skill-record.js'

/** A prompt or an organization: a row with its state and all of it as JSON. */
export type StoredPlain = StoredRecords['prompts' | 'organizations']

/**
 * Writes prompts or organizations. Must run inside a write transaction.
 *
 * @param keepHidden ids of published records that stay hidden where they are
 * @param holdChanges see the port
 */
export function putPlain(
  db: SqliteDatabase,
  type: 'prompts' | 'organizations',
  records: ReadonlyMap<string, StoredPlain>,
  keepHidden: ReadonlySet<string> = new Set(),
  holdChanges = false,
): PutResult {
  const held: string[] = []
  const counts: PutResult = { added: 0, changed: 0, unchanged: 0, ...(holdChanges ? { held } : {}) }
  for (const [id, given] of records) {
    const before = db.get<{ state: number; record: string }>(`SELECT state, record FROM ${type} WHERE id = ?`, [id])
    const staysHidden = given.state === 'published' && before?.state === stateCodes.hidden && keepHidden.has(id)
    const record = staysHidden ? { ...given, state: 'hidden' as const } : given
    const text = canonicalJson(record)
    if (before?.record === text) {
      counts.unchanged += 1
      continue
    }
    if (before !== null && holdChanges) {
      held.push(id)
      continue
    }
    db.run(`INSERT OR REPLACE INTO ${type} VALUES (?, ?, ?)`, [id, stateCodes[record.state], text])
    counts[before === null ? 'added' : 'changed'] += 1
  }
  return counts
}
