import { LRUCache } from 'lru-cache'
import type { ListPosition, SkillListPage, SkillListQuery } from '../../../shared/ports/skill-reader.js'
import type { Backends } from '../observability/backends.js'
import type { SendableText } from './sendable-text.js'

/** Characters of the records of all kept answers, and of what else they take: some 400 pages of 20 skills. */
const maxCharacters = 4 * 1_024 * 1_024

/** What an answer takes without its records: one of an empty page, too. */
const charactersPerAnswer = 1_024

/** How long an answer is kept, and a page begins at a position from before a change: as long as clients may keep a list. */
const maxAgeMs = 30_000

/** A kept page is looked for up to this many pages before: another client may be reading those between. */
const maxPagesBefore = 32

/** The body of a list, and the cursor of the page after it; null: there is none. */
export interface ListBody {
  text: SendableText
  nextCursor: string | null
}

/** The state of the catalog in which the beginning of a page was read. */
interface Known {
  /** See `SkillReader.listVersion`. */
  version: string | null
  /** When it was read, milliseconds of the cache's clock. */
  atMs: number
}

interface KeptPage extends Known {
  /** The position after the page; null: the list ends there. */
  next: ListPosition | null
  /** Null where only the position was needed. */
  answer: ListBody | null
}

interface ListRequest {
  query: SkillListQuery
  /** The fields of its skills that are answered; undefined: all. */
  fields: readonly string[] | undefined
}

type Catalog = Pick<Backends['catalog'], 'listSkills' | 'listVersion'>

/**
 * Answers of lists, kept until the catalog changes.
 *
 * A page by number begins where the kept page before it ends, so that it costs what page 1 costs. Only where none near it
 * is kept, the skills before it are skipped. Pages are always read from the present list: during writes one may begin some
 * skills earlier or later than its number says, see `maxAgeMs`.
 */
export class ListCache {
  readonly #clock: () => number
  readonly #pages = new LRUCache<string, KeptPage>({ maxSize: maxCharacters })

  /** @param clock milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /**
   * A kept answer, or that of the page that the catalog returns.
   *
   * @param answerOf makes the answer of a page
   * @throws AppError as `SkillReader.listSkills`
   */
  async find(catalog: Catalog, request: ListRequest, answerOf: (page: SkillListPage) => ListBody): Promise<ListBody> {
    // Asked for before the page is read, which may be that of a later version, but not of an earlier one.
    const now = { version: await catalog.listVersion(), atMs: this.#clock() }
    const key = keyOf(request)
    const kept = this.#pages.get(key)
    // Not for longer than clients may keep it: its total may have been counted before the last change.
    if (kept !== undefined && kept.answer !== null && isSame(kept, now) && isRecent(kept, now)) {
      return kept.answer
    }
    const { page, known } = await this.#read(catalog, request, now)
    const answer = answerOf(page)
    this.#keep(key, known, page, answer)
    return answer
  }

  /** Reads a page. `known`: of its beginning. */
  async #read(catalog: Catalog, request: ListRequest, now: Known): Promise<{ page: SkillListPage; known: Known }> {
    const { offset = 0, ...list } = request.query
    const before = offset === 0 ? null : await this.#pageBefore(catalog, request, offset, now)
    if (before === null || before.next === null) {
      return { page: await catalog.listSkills(request.query), known: now }
    }
    const { next: after, between } = before
    const page = await catalog.listSkills({ ...list, after, ...(between > 0 && { offset: between }) })
    const leastTotal = offset + page.skills.length + (page.next === null ? 0 : 1)
    return {
      page: page.totalIsLowerBound ? { ...page, total: Math.max(page.total, leastTotal) } : page,
      known: isSame(before, now) ? now : before,
    }
  }

  /**
   * The nearest kept page before one by number, or the end of the page before it. `between`: the number of skills between
   * the two.
   */
  async #pageBefore(
    catalog: Catalog,
    { query, fields }: ListRequest,
    offset: number,
    now: Known,
  ): Promise<KeptPage & { between: number }> {
    const { limit } = query
    const keyBefore = (skills: number) => keyOf({ query: { ...query, offset: offset - skills }, fields })
    for (let skills = limit; skills <= Math.min(offset, maxPagesBefore * limit); skills += limit) {
      const kept = this.#pages.get(keyBefore(skills))
      if (kept !== undefined && kept.next !== null && (isSame(kept, now) || isRecent(kept, now))) {
        return { ...kept, between: skills - limit }
      }
    }
    const skipped = await catalog.listSkills({ ...query, offset: offset - 1, limit: 1 })
    return { ...this.#keep(keyBefore(limit), now, { ...skipped, skills: [] }, null), between: 0 }
  }

  #keep(key: string, { version, atMs }: Known, page: SkillListPage, answer: ListBody | null): KeptPage {
    const kept = { version, atMs, next: page.next, answer }
    const size = page.skills.reduce((sum, { record }) => sum + record.length, charactersPerAnswer + key.length)
    this.#pages.set(key, kept, { size })
    return kept
  }
}

const keyOf = ({ query, fields }: ListRequest): string => JSON.stringify([query, fields])

const isSame = (kept: Known, now: Known): boolean => kept.version !== null && kept.version === now.version

const isRecent = (kept: Known, now: Known): boolean => now.atMs - kept.atMs < maxAgeMs
