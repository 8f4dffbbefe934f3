import { inRepository, listedSkill, repositoryAround } from './listed-skills.js'
import { isRecord, maxRecordBytes, type SourceItem } from './source.js'

type Members = Record<string, unknown>

/** The size of all skills of a list that are held. */
const maxHeldBytes = 32 * maxRecordBytes

/**
 * The skills of a list that do not say whose they are, until the object around the list ends: it may name their repository
 * after them.
 */
export class HeldSkills {
  readonly #items: { item: SourceItem; skill: Members }[] = []
  #heldBytes = 0
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
  ) {}

  /**
   * Holds an item of the list.
   *
   * @param item as it is read without a repository
   * @returns false where there is no room
   */
  hold(item: SourceItem, given: unknown): boolean {
    const skill = listedSkill(given)
    const sizeBytes = 'sizeBytes' in item ? item.sizeBytes : maxRecordBytes / 1_024
    if (skill === null || this.#heldBytes + sizeBytes > maxHeldBytes) {
      return false
    }
    this.#items.push({ item, skill })
    this.#heldBytes += sizeBytes
    return true
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
    if (level === this.level && this.#after === null && this.#items.length > 0) {
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
    const around = repositoryAround({ ...this.before, ...this.#membersAfter() })
    const items = this.#items.splice(0)
    this.#after = null
    return around === null
      ? items.map(({ item }) => item)
      : items.map(({ item: { place, ...item }, skill }) => ({
          place,
          record: inRepository(skill, around),
          sizeBytes: 'sizeBytes' in item ? item.sizeBytes : 0,
        }))
  }

  #membersAfter(): Members {
    try {
      const members: unknown = JSON.parse(`{"":null${this.#after?.join('')}`)
      return isRecord(members) ? members : {}
    } catch {
      // It was too long to be kept, or is not JSON.
      return {}
    }
  }
}
