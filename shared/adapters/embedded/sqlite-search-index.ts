import { AppError, operatorError, unavailable } from '../../errors.js'
import type {
  ApplyOutcome,
  IndexTarget,
  SearchDocument,
  SearchHit,
  SearchIndex,
  SearchPage,
  SearchQuery,
} from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { searchSettingsFingerprint } from '../../search-settings.js'
import { parseSearchText } from '../../text/parse-search-text.js'
import { matchesIn } from '../../text/skill-matches.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { createSlot, dropSlot, type Slot, slots } from './sqlite-index-tables.js'
import { writeDocuments } from './sqlite-index-writes.js'
import { narrowingOf, readingsOf } from './sqlite-match.js'
import { rankedMatches } from './sqlite-ranking.js'
import {
  asksForSomething,
  baseExpression,
  countMatches,
  facetCounts,
  fewRanks,
  type Match,
  type PreparedSearch,
  partialExpression,
  partialMatches,
  sortedMatches,
  termsOf,
} from './sqlite-search.js'
import { suggestedRanks } from './sqlite-suggestions.js'

/** The write lock is held for so many at a time. */
export const documentsPerApply = 1_000

/**
 * Full-text search in the catalog's SQLite file, with its FTS5. Calls run in the calling thread and have been answered
 * when they return. Fences are not asked here: see `fencedFirst`.
 *
 * Slots of tables hold the live index and the one being built; which is which is a row, so that a swap is one write.
 */
export class SqliteSearchIndex implements SearchIndex {
  /** SQLite has one writer: more would only wait, in memory. */
  readonly appliesAtOnce = 1
  readonly documentsPerApply = documentsPerApply
  readonly #db: SqliteDatabase

  /** Makes an empty live index where there is none. */
  constructor(db: SqliteDatabase) {
    this.#db = db
    if (this.#slotOf('live') === null) {
      db.write(() => {
        if (this.#slotOf('live') === null) {
          createSlot(db, 'a')
          this.#assign('live', 'a')
        }
      })
    }
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const text = parseSearchText(query.text)
    if (!asksForSomething(text)) {
      return { hits: [], total: 0, facets: Object.fromEntries(query.facets.map((facet) => [facet, []])) }
    }
    return this.#read(() => {
      const slot = this.#requireSlot('live')
      const search: PreparedSearch = {
        db: this.#db,
        slot,
        query,
        text,
        readings: readingsOf(this.#db, slot, text),
        narrowing: narrowingOf(query.filters, text.excluded),
      }
      let expression = baseExpression(search)
      const few = fewRanks(search, expression)
      let total = few?.length ?? countMatches(search, expression)
      const partial = total === 0 && termsOf(search).length > 1
      if (partial) {
        expression = partialExpression(search)
        total = countMatches(search, expression)
      }
      const matches =
        query.sort !== 'relevance'
          ? sortedMatches(search, expression, query.sort)
          : partial
            ? partialMatches(search).slice(query.offset, query.offset + query.limit)
            : rankedMatches(search, total, few)
      return {
        hits: matches.map((match) => this.#hit(search, match)),
        total,
        facets: Object.fromEntries(query.facets.map((facet) => [facet, facetCounts(search, expression, facet)])),
      }
    })
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return this.#read(() => {
      const slot = this.#requireSlot('live')
      // One that other settings have built may lack the table, and is being replaced.
      if (this.#settingsOf('live') !== searchSettingsFingerprint) {
        throw beingPrepared()
      }
      return suggestedRanks(this.#db, slot, text, limit).map((rank) => this.#skillAt(slot, rank))
    })
  }

  async apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget = 'live',
  ): Promise<ApplyOutcome> {
    this.#told(() => this.#db.write(() => writeDocuments(this.#db, this.#requireSlot(target), changes)))
    return { rejected: [] }
  }

  /** None: a write is done in the moment in which it is asked for. */
  async lateWrites(): Promise<{ count: number; position: string | null }> {
    return { count: 0, position: null }
  }

  async list(
    afterId: string | null,
    limit: number,
    target: IndexTarget = 'live',
  ): Promise<{ id: string; contentHash: string }[]> {
    return this.#read(() =>
      this.#db
        .all<{ id: string; content_hash: string }>(
          `SELECT id, content_hash FROM documents_${this.#requireSlot(target)} WHERE id > ? ORDER BY id LIMIT ?`,
          [afterId ?? '', limit],
        )
        .map((row) => ({ id: row.id, contentHash: row.content_hash })),
    )
  }

  async createNext(): Promise<void> {
    const live = this.#requireSlot('live')
    let damage: unknown
    for (const next of slots.filter((slot) => slot !== live)) {
      try {
        this.#db.write(() => {
          createSlot(this.#db, next)
          this.#assign('next', next)
        })
        return
      } catch (error) {
        damage = passDamage(error)
      }
    }
    throw damage
  }

  async swap(): Promise<void> {
    const old = this.#db.write(() => {
      const before = this.#requireSlot('live')
      this.#assign('live', this.#requireSlot('next'))
      this.#db.run(`DELETE FROM index_slots WHERE role = 'next'`)
      return before
    })
    try {
      this.#db.write(() => dropSlot(this.#db, old))
    } catch (error) {
      // It may be the reason for the swap; nobody reads it any more.
      passDamage(error)
    }
  }

  async status(): Promise<{ documents: number; settings: string | null }> {
    return this.#read(() => ({
      documents: Number(this.#db.get(`SELECT count(*) AS n FROM documents_${this.#requireSlot('live')}`)?.['n']),
      settings: this.#settingsOf('live'),
    }))
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #read<T>(work: () => T): T {
    return this.#told(() => this.#db.read(work))
  }

  /** What is damaged here is not lost: it is made from the records. */
  #told<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw operatorError(
        'index_damaged',
        `The search index in ${this.#db.path} is damaged. Run npm run catalog -- rebuild, which makes it anew from ` +
          'the records; if that ends with another message, do as it says.',
        passDamage(error),
      )
    }
  }

  #hit(search: PreparedSearch, match: Match): SearchHit {
    const skill = this.#skillAt(search.slot, match.rank)
    return { skill, score: match.score, matches: search.query.highlight ? matchesIn(skill, search.text) : null }
  }

  #skillAt(slot: Slot, rank: number): Skill {
    const row = this.#db.get<{ skill: string }>(`SELECT skill FROM documents_${slot} WHERE rank = ?`, [rank])
    return JSON.parse(row?.skill ?? 'null') as Skill
  }

  #settingsOf(role: IndexTarget): string {
    return String(this.#db.get('SELECT settings FROM index_slots WHERE role = ?', [role])?.['settings'])
  }

  #slotOf(role: IndexTarget): Slot | null {
    return this.#db.get<{ slot: Slot }>('SELECT slot FROM index_slots WHERE role = ?', [role])?.slot ?? null
  }

  #requireSlot(role: IndexTarget): Slot {
    const slot = this.#slotOf(role)
    if (slot === null) {
      throw beingPrepared()
    }
    return slot
  }

  #assign(role: IndexTarget, slot: Slot): void {
    this.#db.run('INSERT OR REPLACE INTO index_slots VALUES (?, ?, ?)', [role, slot, searchSettingsFingerprint])
  }
}

const beingPrepared = (): AppError =>
  unavailable('search_unavailable', 'The search index is being prepared. Try again in a moment.', 5)

/** The error, when it says that the file is damaged; throws any other. */
function passDamage(error: unknown): unknown {
  if (error instanceof AppError && error.code === 'database_damaged') {
    return error
  }
  throw error
}
