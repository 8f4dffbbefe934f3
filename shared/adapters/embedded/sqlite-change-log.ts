import { lockLost } from '../../errors.js'
import {
  type ChangeBatch,
  type ChangeDraft,
  type ChangeLog,
  type ChangePage,
  type LogPosition,
  nextSequence,
  sequenceStep,
} from '../../ports/change-log.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** The change log in the catalog's SQLite file. */
export class SqliteChangeLog implements ChangeLog {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  async position(): Promise<LogPosition> {
    const { head, watermark, complete } = this.#state()
    return { head, watermark, complete }
  }

  async append({ onto, changes, watermark, complete, at }: ChangeBatch): Promise<number> {
    return this.#db.write(() => {
      const { head, horizon } = this.#state()
      if (head !== onto) {
        throw lockLost('change log')
      }
      const first = nextSequence(head, at)
      for (const [place, { id, contentHash }] of changes.entries()) {
        this.#db.run('INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)', [
          id,
          first + place * sequenceStep,
          contentHash,
          at.toISOString(),
        ])
      }
      const newHead = changes.length === 0 ? head : first + (changes.length - 1) * sequenceStep
      // Of what was logged before the first change there is nothing to continue.
      const newHorizon = head === 0 && newHead > 0 ? first - sequenceStep : horizon
      this.#db.run('UPDATE change_log SET head = ?, horizon = ?, watermark = ?, complete = max(complete, ?)', [
        newHead,
        newHorizon,
        watermark,
        Number(complete),
      ])
      return newHead
    })
  }

  async logged(ids: string[]): Promise<ChangeDraft[]> {
    return this.#db
      .all<{ id: string; content_hash: string | null }>(
        'SELECT id, content_hash FROM changes WHERE id IN (SELECT value FROM json_each(?))',
        [JSON.stringify(ids)],
      )
      .map((row) => ({ id: row.id, contentHash: row.content_hash }))
  }

  async after(sequence: number, limit: number): Promise<ChangePage> {
    return this.#db.read(() => {
      const { head, horizon, complete } = this.#state()
      const rows = this.#db.all<{ id: string; sequence: number; content_hash: string | null; changed_at: string }>(
        'SELECT id, sequence, content_hash, changed_at FROM changes WHERE sequence > ? ORDER BY sequence LIMIT ?',
        [sequence, limit],
      )
      const changes = rows.map((row) => ({
        sequence: row.sequence,
        id: row.id,
        contentHash: row.content_hash,
        changedAt: row.changed_at,
      }))
      return { changes, head, horizon, complete }
    })
  }

  async listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return this.#db
      .all<{ id: string; content_hash: string }>(
        'SELECT id, content_hash FROM changes WHERE id > ? AND content_hash IS NOT NULL ORDER BY id LIMIT ?',
        [afterId ?? '', limit],
      )
      .map((row) => ({ id: row.id, contentHash: row.content_hash }))
  }

  async prune(before: Date): Promise<number> {
    return this.#db.write(() => {
      const old = 'FROM changes WHERE content_hash IS NULL AND changed_at < ?'
      const last = this.#db.get<{ last: number | null }>(`SELECT max(sequence) AS last ${old}`, [before.toISOString()])
      if (last === null || last.last === null) {
        return 0
      }
      this.#db.run('UPDATE change_log SET horizon = max(horizon, ?)', [last.last])
      return this.#db.run(`DELETE ${old}`, [before.toISOString()])
    })
  }

  #state(): LogPosition & { horizon: number } {
    const row = this.#db.get<{ head: number; horizon: number; watermark: string | null; complete: number }>(
      'SELECT head, horizon, watermark, complete FROM change_log',
    )
    const { head = 0, horizon = 0, watermark = null, complete = 0 } = row ?? {}
    return { head, horizon, watermark, complete: complete === 1 }
  }
}
