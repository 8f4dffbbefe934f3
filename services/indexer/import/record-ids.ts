import { hash } from 'node:crypto'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { RecordType, StoredPrompt } from '../../../shared/records/records.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { furtherPromptId, promptKey } from '../../../shared/text/prompt-id.js'
import type { MappedRecord } from './map-record.js'

/** The number of ids that are listed at once. */
const pageSize = 1_000

/** All ids of a type in a catalog, in pages. @param catalog null: it does not exist yet */
export async function* idPages(catalog: Pick<Catalog, 'listIds'> | null, type: RecordType): AsyncGenerator<string[]> {
  let page: string[] = []
  do {
    page = (await catalog?.listIds(type, page.at(-1) ?? null, pageSize)) ?? []
    if (page.length > 0) {
      yield page
    }
  } while (page.length > 0)
}

/** An id that the catalog has made from a title. */
const madeId = /-[0-9a-f]{12}$/

/**
 * The ids of the prompts of one reading whose sources give none. A prompt keeps the id under which the catalog has it:
 * once, ids were made from the title alone. Another prompt of the same title and author is a prompt of its own.
 */
export class PromptIds {
  /** The ids of the prompts in the catalog whose ids were made, by their keys. */
  #stored: Promise<Map<string, string>> | null = null
  /** The id by content of the first prompt of each id. */
  readonly #first = new Map<string, string>()

  constructor(private readonly catalog: Pick<Catalog, 'listIds' | 'findStored'> | null) {}

  /** The same record with its id in the catalog. One that has an id of its own, or was rejected, is returned as it is. */
  async identify<T extends RecordType>(mapped: MappedRecord<T>): Promise<MappedRecord<T>> {
    if (mapped.titleId === undefined || !('record' in mapped)) {
      return mapped
    }
    // Only prompts have a `titleId`.
    const prompt = mapped.record as StoredPrompt
    const { title, content } = prompt
    this.#stored ??= this.#readStored()
    const id = (await this.#stored).get(promptKey(prompt) ?? '') ?? mapped.id
    const byContent = furtherPromptId(title, content)
    const first = this.#first.get(id) ?? byContent
    this.#first.set(id, first)
    return withId(mapped, first === byContent ? id : byContent)
  }

  async #readStored(): Promise<Map<string, string>> {
    const stored = new Map<string, string>()
    for await (const page of idPages(this.catalog, 'prompts')) {
      const made = page.filter((id) => madeId.test(id))
      for (const { id, stored: prompt } of (await this.catalog?.findStored('prompts', made)) ?? []) {
        const { title, author, content } = prompt as Partial<Record<string, string | null>>
        if (typeof title === 'string' && typeof content === 'string') {
          const isFurther = typeof author === 'string' && id === furtherPromptId(title, content)
          const key = promptKey({ title, author: author ?? null, content })
          if (key !== null && !isFurther) {
            stored.set(key, id)
          }
        }
      }
    }
    return stored
  }
}

/** The record under this id. `titleId` has served its purpose: it must not protect another prompt from a removal. */
function withId<T extends RecordType>(mapped: MappedRecord<T>, id: string): MappedRecord<T> {
  const { titleId: _used, ...rest } = mapped
  return 'record' in rest ? { ...rest, id, record: { ...rest.record, id } } : rest
}

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
    if (this.#contents.add(JSON.stringify([id, name, description])) && !this.#ids.add(id)) {
      this.#repeated.add(id)
      this.areNamed &&= id.includes('@')
      this.replaced += 1
    }
  }
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

  /** Adds an id. Returns whether it is a new one. */
  add(id: string): boolean {
    const key = keyOf(id)
    const slot = this.#slotOf(key)
    const isNew = this.#slots[slot] === 0n
    if (isNew) {
      this.#slots[slot] = key
      this.#size += 1
      this.#growWhenHalfFull()
    }
    return isNew
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
