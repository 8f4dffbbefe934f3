import type { ListPosition, SkillListQuery } from '../../ports/skill-reader.js'

/** What a list was read from. */
export interface ListVersion {
  /** The latest change of the log; null: not known. */
  changes: number | null
  /** The version of the trends, which move without a change of the log; null: not known, or no list by trend. */
  trends: string | null
}

/** When a result was found, and what that cost. */
export interface Found {
  version: ListVersion
  /** When it was found, by `performance.now()`. */
  atMs: number
  /** Milliseconds of work. */
  costMs: number
}

/** The least time that a result without a version is kept: as long as a small total on servers. */
const unversionedMs = 5_000

/** How long clients may keep a list. */
const maxAgeMs = 30_000

/**
 * Whether a kept result can still be used: until the next change, and during writes for a hundred times as long as it
 * took to find, so that at most a hundredth of the time is spent on finding it again. Trends move all at once and seldom:
 * nothing is kept over that.
 *
 * @param version the present one
 */
export function isCurrent(found: Found, { changes, trends }: ListVersion, nowMs: number): boolean {
  if (found.version.trends !== trends) {
    return false
  }
  if (changes !== null && found.version.changes === changes) {
    return true
  }
  const keepMs = Math.max(changes === null ? unversionedMs : 0, 100 * found.costMs)
  return nowMs - found.atMs < Math.min(keepMs, maxAgeMs)
}

/** The maximum number of lists, and of positions in each: as many as 20 skills a page have pages by number. */
const [maxLists, maxPositions] = [50, 500]

/** Where a page begins: after a skill, at the beginning of the list (undefined), or after its end (null). */
export interface PageStart {
  after: ListPosition | null | undefined
  found: Found
}

/** The end of skipped skills. */
export interface Skipped {
  /** The position after them; null: there are not so many. */
  position: ListPosition | null
  /** Milliseconds of work, without the time for which it waited for its turn. */
  costMs: number
}

/** Finds the end of skipped skills, and measures what that costs. */
export async function skipped(find: () => Promise<ListPosition | null>): Promise<Skipped> {
  const startedMs = performance.now()
  const position = await find()
  return { position, costMs: performance.now() - startedMs }
}

/**
 * Positions at which pages by number begin, so that a page is read from its position as the first one is, and the skills
 * before it are skipped only when nothing near is known. The end of a page is the beginning of the next.
 *
 * Pages are always read from the present list. During writes a page may begin some skills earlier or later than its
 * number says; see `isCurrent`.
 */
export class PageStarts {
  readonly #lists = new Map<string, Map<number, PageStart>>()
  readonly #clock: () => number

  /** @param clock milliseconds */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /**
   * @param version the present one
   * @param skip finds the position after so many more skills
   */
  async find(
    query: SkillListQuery,
    version: ListVersion,
    skip: (after: ListPosition | undefined, count: number) => Promise<Skipped>,
  ): Promise<PageStart> {
    const offset = query.offset ?? 0
    const atMs = this.#clock()
    let nearest: PageStart & { offset: number } = { offset: 0, after: undefined, found: { version, atMs, costMs: 0 } }
    for (const [known, start] of this.#lists.get(keyOf(query)) ?? []) {
      if (known <= offset && known > nearest.offset && isCurrent(start.found, version, atMs)) {
        nearest = { ...start, offset: known }
      }
    }
    if (nearest.offset === offset || nearest.after === null) {
      return nearest
    }
    const { position, costMs } = await skip(nearest.after, offset - nearest.offset)
    const start = { after: position, found: { version, atMs, costMs: nearest.found.costMs + costMs } }
    this.#keep(query, offset, start)
    return start
  }

  /** Keeps the end of a page. @param start its beginning */
  keepEnd(query: SkillListQuery, { found }: PageStart, end: ListPosition): void {
    this.#keep(query, (query.offset ?? 0) + query.limit, { after: end, found })
  }

  /** Forgets all positions, after a write to the catalog. */
  clear(): void {
    this.#lists.clear()
  }

  #keep(query: SkillListQuery, offset: number, start: PageStart): void {
    const key = keyOf(query)
    const positions = this.#lists.get(key) ?? new Map<number, PageStart>()
    putLast(this.#lists, key, positions, maxLists)
    putLast(positions, offset, start, maxPositions)
  }
}

const keyOf = ({ filters, sort, order, distinct }: SkillListQuery): string =>
  JSON.stringify([sort, order, filters, distinct])

/** Puts an entry at the end of a map, and removes the first one of a full map. */
function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  for (const first of map.size > maxSize ? map.keys() : []) {
    map.delete(first)
    break
  }
}
