import type { Catalog } from '../../../shared/ports/catalog.js'
import type { StoredPrompt } from '../../../shared/records/prompt.js'
import type { RecordType } from '../../../shared/records/records.js'
import { furtherPromptId, promptKey } from '../../../shared/text/prompt-id.js'
import type { MappedRecord } from './map-record.js'

/** The number of prompts that are read at once. */
const pageSize = 1_000

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
    let page: string[] = (await this.catalog?.listIds('prompts', null, pageSize)) ?? []
    while (page.length > 0) {
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
      page = (await this.catalog?.listIds('prompts', page.at(-1) ?? null, pageSize)) ?? []
    }
    return stored
  }
}

/** The record under this id. `titleId` has served its purpose: it must not protect another prompt from a removal. */
function withId<T extends RecordType>(mapped: MappedRecord<T>, id: string): MappedRecord<T> {
  const { titleId: _used, ...rest } = mapped
  return 'record' in rest ? { ...rest, id, record: { ...rest.record, id } } : rest
}
