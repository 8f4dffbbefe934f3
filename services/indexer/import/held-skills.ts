import { parseJson } from '../../../shared/runtime/http-answers.js'
import { type Around, aroundOf, inRepository, listedSkill } from './listed-skills.js'
import { mapRecord } from './map-record.js'
import { heldSize, isRecord, maxHeldBytes, maxRecordBytes, type SourceItem } from './source.js'

type Members = Record<string, unknown>

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
