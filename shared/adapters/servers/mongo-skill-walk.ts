import type { Collection, Document, FindCursor } from 'mongodb'
import { ownMember } from './mongo-document.js'

/** Walks that stand still for longer are not waited for: whoever goes on then is looked up anew. */
const idleMs = 60_000

/** So many walks at a time go on without being looked up. */
const mostOpen = 4

/**
 * Passes over all skills that are published, or meant to be, by id and page by page. A page is read from where the one
 * before it ended: to look up each anew costs a database that does not keep its order another pass over everything.
 */
export class SkillWalks {
  readonly #skills: Collection
  /** By the last id that was read from them, the one that was read from last behind the others. */
  readonly #open = new Map<string, { cursor: FindCursor<Document>; timer: NodeJS.Timeout }>()

  constructor(skills: Collection) {
    this.#skills = skills
  }

  /** @param afterId the last id of the page before; null: from the start */
  async page(afterId: string | null, limit: number): Promise<Document[]> {
    const open = this.#take(afterId)
    if (open !== null) {
      try {
        return await this.#read(open, limit)
      } catch {
        // The database has forgotten it, or was restarted meanwhile.
        await open.close().catch(() => undefined)
      }
    }
    return this.#read(this.#begin(afterId, limit), limit)
  }

  #begin(afterId: string | null, limit: number): FindCursor<Document> {
    const filter = {
      [`${ownMember}.state`]: { $in: ['published', 'rejected'] },
      [`${ownMember}.id`]: { $gt: afterId ?? '' },
    }
    return this.#skills.find(filter, { sort: { [`${ownMember}.id`]: 1 }, batchSize: limit })
  }

  async #read(cursor: FindCursor<Document>, limit: number): Promise<Document[]> {
    const documents: Document[] = []
    while (documents.length < limit) {
      const document = await cursor.next()
      if (document === null) {
        await cursor.close()
        return documents
      }
      documents.push(document)
    }
    const lastId = documents.at(-1)?.[ownMember].id
    this.#discard(lastId)
    this.#discard(this.#open.size >= mostOpen ? this.#open.keys().next().value : undefined)
    const timer = setTimeout(() => this.#discard(lastId), idleMs)
    timer.unref()
    this.#open.set(lastId, { cursor, timer })
    return documents
  }

  #take(lastId: string | null): FindCursor<Document> | null {
    const open = this.#open.get(lastId ?? '')
    if (open === undefined || lastId === null) {
      return null
    }
    clearTimeout(open.timer)
    this.#open.delete(lastId)
    return open.cursor
  }

  #discard(lastId: string | undefined): void {
    void this.#take(lastId ?? null)
      ?.close()
      .catch(() => undefined)
  }
}
