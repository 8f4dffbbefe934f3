import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { isWithdrawn, withdrawalsAround } from './listed-skills.js'
import { withMembersAround } from './skill-in-repository.js'
import { heldSize, isRecord, maxHeldBytes, type SourceItem } from './source.js'

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
