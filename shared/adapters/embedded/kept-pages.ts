import { LRUCache } from 'lru-cache'
import type { SkillListPage, SkillListQuery } from '../../ports/skill-reader.js'

/** Characters of the records of all kept pages: some 500 pages of 20 skills. */
const maxCharacters = 4 * 1_024 * 1_024

/** Pages of lists, kept until the catalog changes. */
export class KeptPages {
  readonly #pages = new LRUCache<string, SkillListPage>({
    maxSize: maxCharacters,
    sizeCalculation: ({ skills }) => skills.reduce((sum, { record }) => sum + record.length, 1),
  })
  #version: number | null = null

  /**
   * A kept page, or the one that `read` returns.
   *
   * @param version the present one of the catalog: another one after each change
   */
  async find(query: SkillListQuery, version: number, read: () => Promise<SkillListPage>): Promise<SkillListPage> {
    if (version !== this.#version) {
      this.#pages.clear()
      this.#version = version
    }
    const key = JSON.stringify(query)
    const kept = this.#pages.get(key)
    if (kept !== undefined) {
      return kept
    }
    const page = await read()
    // Otherwise the page may be older than the present version.
    if (version === this.#version) {
      this.#pages.set(key, page)
    }
    return page
  }
}
