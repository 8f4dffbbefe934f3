import Database from 'libsql'
import type { StateChange } from '../../../shared/ports/record-writer.js'
import type { SkillContent } from '../../../shared/ports/skill-texts.js'
import type { RecordType, StoredRecords } from '../../../shared/records/records.js'
import { IdSet } from './id-set.js'

/** A record to write, or null for an id to remove; and whether its source has a state. */
export interface Held<T extends RecordType> {
  record: StoredRecords[T] | null
  hasState: boolean
  /** The text and files of a skill. */
  content?: SkillContent
  /** Set where the source has only an identity and a state: `record` is written, if it is one, where there is none yet. */
  change?: StateOnly
}

/** The change of a state, and the record of the source that asks for it, for messages. */
export interface StateOnly extends StateChange {
  label: string
  place: string
  /** Why it is no record by itself; null: it is one. */
  reason: string | null
}

/**
 * Records that an import writes after it has read all of its sources: a later record of the same id may put back what is
 * stored already. Any number of them: they lie in a temporary file of SQLite's, which deletes itself, and is written
 * only when they need more than a few megabytes.
 */
export class HeldRecords<T extends RecordType> {
  #opened: { db: Database.Database; select: Database.Statement; replace: Database.Statement } | null = null
  /** Answers without a query for nearly all ids; one that it mistakes for another is looked up in vain. */
  readonly #ids = new IdSet()

  get(id: string): Held<T> | null {
    const found = this.#ids.has(id) ? this.#open().select.get([id]) : undefined
    return found === undefined ? null : JSON.parse((found as { held: string }).held)
  }

  /** Keeps a record in place of any that is held for the same id. */
  set(id: string, held: Held<T>): void {
    this.#ids.add(id)
    this.#open().replace.run([id, JSON.stringify(held)])
  }

  /** The held records, in the order in which they were kept. */
  *[Symbol.iterator](): Generator<{ id: string; held: Held<T>; sizeBytes: number }> {
    const rows = this.#opened?.db.prepare('SELECT id, held FROM held ORDER BY place').iterate([]) ?? []
    for (const { id, held } of rows as Iterable<{ id: string; held: string }>) {
      yield { id, held: JSON.parse(held), sizeBytes: held.length }
    }
  }

  close(): void {
    this.#opened?.db.close()
    this.#opened = null
  }

  #open() {
    if (this.#opened === null) {
      // The empty name is a temporary database.
      const db = new Database('')
      db.exec(
        `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         CREATE TABLE held (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, held TEXT NOT NULL);`,
      )
      this.#opened = {
        db,
        select: db.prepare('SELECT held FROM held WHERE id = ?'),
        replace: db.prepare('INSERT OR REPLACE INTO held (id, held) VALUES (?, ?)'),
      }
    }
    return this.#opened
  }
}
