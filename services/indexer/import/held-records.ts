import { hash } from 'node:crypto'
import Database from 'libsql'
import type { StateChange } from '../../../shared/ports/record-writer.js'
import type { SkillContent } from '../../../shared/ports/skill-texts.js'
import type { RecordType, StoredRecords } from '../../../shared/records/records.js'
import type { StoredSkill } from '../../../shared/records/skill.js'

/** The file of a skill of a repository, and its folder there. */
interface SkillFile {
  label: string
  path: string
}

/**
 * The skills of one import that have the same id. Of files with one name in a repository, such as copies for several
 * programs, the one with the shortest path counts, then the first by its path: decided by the files alone, in any order.
 */
export class RepeatedSkills {
  readonly #files = new Map<string, SkillFile>()
  readonly #ids = new IdSet()
  readonly #contents = new IdSet()
  readonly #repeated = new IdSet()
  /** Records that took the place of another one with another name or description. */
  replaced = 0

  /** Whether each id with such records has the name of a skill. */
  areNamed = true

  /** The number of ids with such records. */
  get ids(): number {
    return this.#repeated.size
  }

  /**
   * Notes a SKILL.md.
   *
   * @returns which of two files with this id does not count; null: it is the only one
   */
  leftOut({ id, path }: StoredSkill, label: string): { left: SkillFile; kept: SkillFile } | null {
    const file = { label, path: path ?? '' }
    const before = this.#files.get(id)
    if (before === undefined || before.label === label) {
      this.#files.set(id, file)
      return null
    }
    const isFirst = file.path.length - before.path.length || (file.path < before.path ? -1 : 1)
    this.#files.set(id, isFirst < 0 ? file : before)
    return isFirst < 0 ? { left: before, kept: file } : { left: file, kept: before }
  }

  /** Notes a record of another source. */
  add({ id, name, description }: StoredSkill): void {
    const content = JSON.stringify([id, name, description])
    if (this.#contents.has(content)) {
      return
    }
    this.#contents.add(content)
    if (this.#ids.has(id)) {
      this.#repeated.add(id)
      this.areNamed &&= id.includes('@')
      this.replaced += 1
    }
    this.#ids.add(id)
  }
}

/**
 * The first repeated member of an object, in JSON text that is known to be valid; null: no member is repeated.
 * JSON.parse would keep the last of the two, but either may be meant. Checks only the outermost object: it has the
 * fields.
 *
 * @param record the same, parsed: it has each name once
 */
export function repeatedMember(json: string, record: object): string | null {
  const names: string[] = []
  let depth = 0
  let text = ''
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      depth += 1
    } else if (token === '}' || token === ']') {
      depth -= 1
    } else if (token !== ':') {
      text = token
    } else if (depth === 1) {
      names.push(text)
    }
  }
  if (names.length === Object.keys(record).length) {
    return null
  }
  const known = new Set<string>()
  const parsed = names.map((name) => String(JSON.parse(name)))
  return parsed.find((name) => known.size === known.add(name).size) ?? null
}

/**
 * A set of any number of ids of any length that takes 16 to 32 bytes for each: it keeps 64 bits of a hash of an id.
 * Among two million ids it mistakes one for another in about one of five million runs: that must do no harm.
 */
export class IdSet {
  /** Open addressing with linear probing, at most half full; 0 is an empty slot. */
  #slots = new BigUint64Array(1_024)
  #size = 0

  /** The number of ids. */
  get size(): number {
    return this.#size
  }

  add(id: string): void {
    const key = keyOf(id)
    const slot = this.#slotOf(key)
    if (this.#slots[slot] === 0n) {
      this.#slots[slot] = key
      this.#size += 1
      this.#growWhenHalfFull()
    }
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(keyOf(id))] !== 0n
  }

  /** The slot of this key, or the empty one to add it. */
  #slotOf(key: bigint): number {
    const mask = this.#slots.length - 1
    let slot = Number(key & BigInt(mask))
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== key) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #growWhenHalfFull(): void {
    if (this.#size * 2 > this.#slots.length) {
      const keys = this.#slots
      this.#slots = new BigUint64Array(keys.length * 2)
      for (const key of keys) {
        if (key !== 0n) {
          this.#slots[this.#slotOf(key)] = key
        }
      }
    }
  }
}

function keyOf(id: string): bigint {
  const key = BigInt(`0x${hash('sha1', id).slice(0, 16)}`)
  return key === 0n ? 1n : key
}

/** A record to write, or null for an id to remove; and whether its source has a state. */
export interface Held<T extends RecordType> {
  record: StoredRecords[T] | null
  hasState: boolean
  /** Whether its source has the public fields only. */
  isPublicOnly?: true
  /** The text and files of a skill. */
  content?: SkillContent
  /** Set where the source has only an identity and a state: then `record` is written only if none is stored yet. */
  change?: StateOnly
}

/** The change of a state, and the record of the source that asks for it, for messages. */
export interface StateOnly extends StateChange {
  label: string
  place: string
  /** Why it cannot be added as a record; null: it can. */
  reason: string | null
}

/**
 * Records that an import writes after it has read all of its sources: a later record of the same id may put back what is
 * stored already. Any number of them: they lie in a temporary file of SQLite's, which deletes itself, and is written
 * only when they need more than a few megabytes.
 */
export class HeldRecords<T extends RecordType> {
  #opened: { db: Database.Database; select: Database.Statement; replace: Database.Statement } | null = null
  /** Says of nearly all ids, without a query, that they are not held; a false positive costs one query. */
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
