import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { type Around, aroundOf, inRepository, isWithdrawn, listedSkill, withdrawalsAround } from './listed-skills.js'
import { mapRecord } from './map-record.js'
import { withMembersAround } from './skill-in-repository.js'
import { heldSize, isRecord, maxHeldBytes, maxRecordBytes, type SourceItem } from './source.js'

type Members = Record<string, unknown>

/** An object around lists of records. */
interface Level {
  /** Its members that withdraw its records; null: none does so far. */
  withdrawals: Members | null
  /** The position of its first record among those that are held. */
  first: number
  /** Whether a record of it was taken before anything withdrew it. */
  hasTaken: boolean
}

/**
 * Holds the records of an answer until it ends: each object around its lists may say, before or after them, that none of
 * them is public.
 */
export class HeldAnswer {
  readonly #levels: Level[] = []
  readonly #items: SourceItem[] = []
  #heldBytes = 0
  #unread: string | null = null

  constructor(private readonly type: RecordType) {}

  /** What an answer says too late of records that were taken; null: nothing. */
  get unread(): string | null {
    return this.#unread
  }

  /** Objects around lists of records begin, the outermost first, with these members before the list. */
  open(...objects: Members[]): void {
    for (const members of objects) {
      this.#levels.push({ withdrawals: withdrawalsAround(members), first: this.#items.length, hasTaken: false })
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

  /** The innermost object has ended. */
  close(): void {
    const level = this.#levels.pop()
    if (level === undefined) {
      return
    }
    this.#withdraw(level)
    if (level.withdrawals !== null && level.hasTaken) {
      this.#unread ??=
        `says only after its ${this.type}, which have more than ${maxHeldBytes} bytes, that they are not public: put that ` +
        'before them, and import it again'
    }
  }

  /** Adds records of the innermost object. There may be more than the arguments of a call. */
  add(items: SourceItem[]): void {
    for (const item of items) {
      this.#items.push(item)
      this.#heldBytes += heldSize(item)
    }
  }

  /** The records whose answers have ended; where there is no room for the others, all. */
  take(isEnd = false): SourceItem[] {
    const isAll = isEnd || this.#heldBytes > maxHeldBytes
    const count = isAll ? this.#items.length : (this.#levels[0]?.first ?? this.#items.length)
    for (const level of isAll ? this.#levels : []) {
      this.#withdraw(level)
      level.hasTaken ||= level.withdrawals === null && this.#items.length > level.first
    }
    for (const level of this.#levels) {
      level.first = Math.max(0, level.first - count)
    }
    const taken = this.#items.splice(0, count)
    this.#heldBytes -= taken.reduce((sum, item) => sum + heldSize(item), 0)
    return taken
  }

  #withdraw({ withdrawals, first }: Level): void {
    if (withdrawals !== null) {
      const within = this.#items.splice(first)
      for (const item of within) {
        this.#items.push(this.#withdrawn(item, withdrawals))
      }
    }
  }

  #withdrawn(item: SourceItem, around: Members): SourceItem {
    return 'record' in item && !isWithdrawn(this.type, item.record)
      ? { ...item, record: withMembersAround(item.record, around) }
      : item
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

/** An item as it is read without a repository, and the skill that it is. */
interface Held {
  item: SourceItem
  skill: Members
}

/**
 * The skills of a list, until the object around the list ends: it may name their repository after them, or say more about it.
 */
export class HeldSkills {
  #items: Held[] = []
  /** By the members before the list. */
  readonly #around: Around | null
  #heldBytes = 0
  #isFull = false
  /** The text of the object after its list, in parts; null: the list has not ended, or nothing of it is held. */
  #after: string[] | null = null
  #afterBytes = 0
  /** The position from which the present text belongs to it. */
  #position = 0

  /**
   * @param before the members of the object that come before the list
   * @param level the number of containers around the list
   */
  constructor(
    private readonly before: Members,
    private readonly level: number,
  ) {
    this.#around = aroundOf(before)
  }

  /**
   * Holds an item of the list.
   *
   * @param item as it is read without a repository
   * @returns nothing where it is held; without room, those that say themselves whose they are, and the item, by what is before
   *   the list
   */
  hold(item: SourceItem, given: unknown): SourceItem[] {
    const skill = listedSkill(given)
    if (skill === null || this.#after !== null) {
      return [item]
    }
    this.#heldBytes += heldSize(item)
    if (this.#heldBytes <= maxHeldBytes) {
      this.#items.push({ item, skill })
      return []
    }
    const isFirst = !this.#isFull && this.#around === null
    const released = new Set(isFirst ? this.#items.filter((held) => mapRecord('skills', held.skill).id !== null) : [])
    this.#items = isFirst ? this.#items.filter((held) => !released.has(held)) : this.#items
    this.#isFull = true
    return [...released, { item, skill }].map((held) => placed(held, this.#around))
  }

  /** A text has ended within the object. */
  endText(text: string): void {
    this.#keep(text.slice(this.#position))
    this.#position = 0
  }

  /**
   * A container has ended.
   *
   * @param level the number of containers around it
   * @returns the items, if it is the object around the list
   */
  endContainer(level: number, text: string, position: number): SourceItem[] {
    if (level === this.level && this.#after === null && (this.#items.length > 0 || this.#isFull)) {
      this.#after = []
      this.#position = position
    }
    if (level !== this.level - 1 || this.#after === null) {
      return []
    }
    this.#keep(text.slice(this.#position, position))
    return this.take()
  }

  #keep(text: string): void {
    this.#afterBytes += this.#after === null ? 0 : text.length
    if (this.#afterBytes <= maxRecordBytes) {
      this.#after?.push(text)
    }
  }

  /** The items, in the repository that the object around them names; else as they are. */
  take(): SourceItem[] {
    const after = this.#membersAfter()
    const around = after === null ? this.#around : aroundOf({ ...this.before, ...after })
    this.#after = null
    return this.#items.splice(0).map((held) => placed(held, around))
  }

  /** Null: there are none, they were too long to be kept, or are not JSON. */
  #membersAfter(): Members | null {
    const members = parseJson(`{"":null${this.#after?.join('')}`)
    return isRecord(members) ? members : null
  }
}

const placed = ({ item, skill }: Held, around: Around | null): SourceItem =>
  around === null
    ? item
    : {
        place: item.place,
        record: inRepository(skill, around),
        sizeBytes: 'sizeBytes' in item ? item.sizeBytes : 0,
      }
