import { LRUCache } from 'lru-cache'
import type { SkillListPage, SkillListQuery } from '../../ports/skill-reader.js'

/** Characters of the records of all kept pages, and of what else they take: some 400 pages of 20 skills. */
const maxCharacters = 4 * 1_024 * 1_024

/** What a page takes without its records: an empty one, too. */
const charactersPerPage = 1_024

/** Pages of lists, kept until the catalog changes. */
export class KeptPages {
  readonly #versionOf: () => number
  readonly #pages = new LRUCache<string, SkillListPage>({
    maxSize: maxCharacters,
    sizeCalculation: ({ skills }, key) =>
      skills.reduce((sum, { record }) => sum + record.length, charactersPerPage + key.length),
  })
  #version: number | null = null

  /** @param versionOf the present version of the catalog: another one after each change */
  constructor(versionOf: () => number) {
    this.#versionOf = versionOf
  }

  /** A kept page, or the one that `read` returns. */
  async find(query: SkillListQuery, read: () => Promise<SkillListPage>): Promise<SkillListPage> {
    const version = this.#versionOf()
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
