import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { type Around, aroundOf, inRepository, isWithdrawn, listedSkill, withdrawalsAround } from './listed-skills.js'
import { withMembersAround } from './skill-in-repository.js'
import { isRecord, type Members, maxRecordBytes, type SourceItem } from './source.js'

/** The size of all records that wait for the end of what is around them, at most. */
const maxHeldBytes = 32 * maxRecordBytes

/** The bytes that a waiting record takes: its text, and what it needs besides. */
const heldSize = (item: SourceItem): number => 512 + ('sizeBytes' in item ? item.sizeBytes : 0)

/** An object around lists of records. */
interface Level {
  /** Its members that withdraw its records; null: none does so far. */
  withdrawals: Members | null
  /** Of an object with a list of skills: what it says of each of them; null: it is another one. */
  around: AroundSkills | null
  /** The position of its first record among those that are held. */
  first: number
  /** Whether a record of it was taken before anything withdrew it. */
  hasTaken: boolean
}

/** An item as it is read by itself, and the skill that it is in a repository around its list; null: it is in none. */
interface Held {
  item: SourceItem
  skill: Members | null
}

/**
 * Holds the records of an answer until it ends: each object around its lists may say, before or after them, that none of
 * them is public, and of a list of skills, whose they are.
 */
export class HeldAnswer {
  readonly #levels: Level[] = []
  readonly #items: Held[] = []
  #heldBytes = 0
  #unread: string | null = null

  constructor(private readonly type: RecordType) {}

  /** What an answer says too late of records that were taken; null: nothing. */
  get unread(): string | null {
    return this.#unread
  }

  /**
   * Objects around lists of records begin, the outermost first, with these members before the list.
   *
   * @param isOfSkills whether the list of the innermost is one of skills, which may be those of a repository
   */
  open(objects: Members[], isOfSkills = false): void {
    for (const members of objects) {
      const around = isOfSkills && members === objects.at(-1) ? new AroundSkills(members) : null
      const first = this.#items.length
      this.#levels.push({ withdrawals: withdrawalsAround(members), around, first, hasTaken: false })
    }
  }

  /** Notes a member of the innermost object. */
  note(name: string, value: unknown): void {
    const level = this.#levels.at(-1)
    const withdrawals = withdrawalsAround({ [name]: value })
    if (level !== undefined && withdrawals !== null) {
      level.withdrawals = { ...level.withdrawals, ...withdrawals }
    }
  }

  /** A list of the innermost object has ended. */
  endList(position: number): void {
    this.#levels.at(-1)?.around?.endList(position)
  }

  /** A text has ended within the objects. */
  endText(text: string): void {
    for (const { around } of this.#levels) {
      around?.endText(text)
    }
  }

  /** The innermost object has ended, at this position of the text. */
  close(text: string, position: number): void {
    const level = this.#levels.pop()
    if (level === undefined) {
      return
    }
    level.around?.endText(text.slice(0, position))
    this.#settle(level)
    if (level.withdrawals !== null && level.hasTaken) {
      this.#unread ??=
        `says only after its ${this.type}, which have more than ${maxHeldBytes} bytes, that they are not public: put that ` +
        'before them, and import it again'
    }
  }

  /** Adds an item of the innermost object. @param given what it is in the list */
  add(item: SourceItem, given: unknown = null): void {
    const isOfSkills = this.#levels.at(-1)?.around?.isInList === true
    this.#items.push({ item, skill: isOfSkills ? listedSkill(given) : null })
    this.#heldBytes += heldSize(item)
  }

  /** The records whose answers have ended; where there is no room for the others, all. */
  take(isEnd = false): SourceItem[] {
    const isAll = isEnd || this.#heldBytes > maxHeldBytes
    const count = isAll ? this.#items.length : (this.#levels[0]?.first ?? this.#items.length)
    for (const level of isAll ? this.#levels.toReversed() : []) {
      this.#settle(level)
      level.hasTaken ||= level.withdrawals === null && this.#items.length > level.first
    }
    for (const level of this.#levels) {
      level.first = Math.max(0, level.first - count)
    }
    const taken = this.#items.splice(0, count).map(({ item }) => item)
    this.#heldBytes -= taken.reduce((sum, item) => sum + heldSize(item), 0)
    return taken
  }

  /** Adds what an object says to its records. */
  #settle({ withdrawals, around, first }: Level): void {
    const repository = around?.read() ?? null
    for (const held of this.#items.slice(first)) {
      if (held.skill !== null && repository !== null) {
        const { place } = held.item
        const sizeBytes = 'sizeBytes' in held.item ? held.item.sizeBytes : 0
        held.item = { place, record: inRepository(held.skill, repository), sizeBytes }
      }
      held.skill = null
      if (withdrawals !== null && 'record' in held.item && !isWithdrawn(this.type, held.item.record)) {
        held.item = { ...held.item, record: withMembersAround(held.item.record, withdrawals) }
      }
    }
  }
}

/**
 * The members that an answer has before its list, of each object around the list, the outermost first; without any where they
 * were too long to be kept.
 *
 * @param wrappers the number of objects around the object with the list
 */
export function membersBefore(text: string, wrappers: number): Members[] {
  const levels: Members[] = []
  let level = parseJson(`${text}null${'}'.repeat(wrappers + 1)}`)
  for (let left = wrappers; left >= 0; left -= 1) {
    levels.push(isRecord(level) ? level : {})
    level = isRecord(level) ? Object.values(level).at(-1) : null
  }
  return levels
}

/** What an object says of the skills in its list, before and after it: it may name their repository, or say more about it. */
class AroundSkills {
  /** The text of the object after its list, in parts; null: the list has not ended. */
  #after: string[] | null = null
  #afterBytes = 0
  /** The position from which the present text belongs to it. */
  #position = 0

  /** @param before the members that come before the list */
  constructor(private readonly before: Members) {}

  get isInList(): boolean {
    return this.#after === null
  }

  endList(position: number): void {
    if (this.#after === null) {
      this.#after = []
      this.#position = position
    }
  }

  endText(text: string): void {
    this.#afterBytes += this.#after === null ? 0 : text.length - this.#position
    if (this.#afterBytes <= maxRecordBytes) {
      this.#after?.push(text.slice(this.#position))
    }
    this.#position = 0
  }

  /** All that it says so far; of what follows the list nothing, where it is not whole, or too long to be kept. */
  read(): Around | null {
    const after = parseJson(`{"":null${(this.#after ?? []).join('')}`)
    return aroundOf({ ...this.before, ...(isRecord(after) && after) })
  }
}
