import type { Fence } from '../../../../ports/locks.js'
import type {
  ApplyOutcome,
  IndexTarget,
  IndexWriter,
  SearchDocument,
  SearchHit,
  SearchIndex,
  SearchPage,
  SearchQuery,
} from '../../../../ports/search-index.js'
import type { Skill } from '../../../../records/skill.js'
import { AppError, operatorError, unavailable } from '../../../../runtime/errors.js'
import { searchSettingsFingerprint } from '../../../../search-settings.js'
import { parseSearchText } from '../../../../text/parse-search-text.js'
import { matchesIn } from '../../../../text/skill-matches.js'
import type { SqliteDatabase } from '../database.js'
import { createSlot, dropSlot, type Slot, slots } from './index-tables.js'
import { writeDocuments } from './index-writes.js'
import { narrowingOf, readingsOf } from './match.js'
import { rankedMatches } from './ranking.js'
import {
  allRanks,
  baseExpression,
  countMatches,
  facetCounts,
  hasTerms,
  type Match,
  type PreparedSearch,
  partialExpression,
  partialMatches,
  sortedMatches,
  termsOf,
} from './search.js'
import { suggestedRanks } from './suggestions.js'

/** Documents per write transaction, which bounds the time that the write lock is held. */
export const documentsPerApply = 1_000

/**
 * Full-text search in the catalog's SQLite file, with its FTS5. Calls run in the calling thread and have been answered
 * when they return.
 *
 * Slots of tables hold the live index and the one being built; a row says which is which, so that a swap is one write.
 */
export class SqliteSearchIndex implements SearchIndex, IndexWriter {
  /** SQLite has one writer: more would only wait, in memory. */
  readonly appliesAtOnce = 1
  readonly documentsPerApply = documentsPerApply
  readonly #db: SqliteDatabase

  /** Creates an empty live index where there is none. */
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
    if (!hasTerms(text)) {
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
      const ranks = allRanks(search, expression)
      let total = ranks?.length ?? countMatches(search, expression)
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
            : rankedMatches(search, total, ranks)
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
      // An index built with other settings may lack the table; it is being replaced.
      if (this.#settingsOf('live') !== searchSettingsFingerprint) {
        throw beingPrepared()
      }
      return suggestedRanks(this.#db, slot, text, limit).map((rank) => this.#skillAt(slot, rank))
    })
  }

  async apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    fence?: Fence,
  ): Promise<ApplyOutcome> {
    fence?.check()
    this.#reportingDamage(() => this.#db.write(() => writeDocuments(this.#db, this.#requireSlot(target), changes)))
    return { rejected: [] }
  }

  async list(
    afterId: string | null,
    limit: number,
    target: IndexTarget,
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

  async createNext(fence?: Fence): Promise<void> {
    fence?.check()
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
        damage = damageOnly(error)
      }
    }
    throw damage
  }

  async swap(fence?: Fence): Promise<void> {
    fence?.check()
    const old = this.#db.write(() => {
      const before = this.#requireSlot('live')
      this.#assign('live', this.#requireSlot('next'))
      this.#db.run(`DELETE FROM index_slots WHERE role = 'next'`)
      return before
    })
    try {
      this.#db.write(() => dropSlot(this.#db, old))
    } catch (error) {
      // Damage may be the reason for the swap, and the old table is no longer used.
      damageOnly(error)
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
    return this.#reportingDamage(() => this.#db.read(work))
  }

  /** A damaged index loses no data: it is built from the records. */
  #reportingDamage<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw operatorError(
        'index_damaged',
        `The search index in ${this.#db.path} is damaged. Run npm run catalog -- rebuild, which builds it again from ` +
          'the records; if that fails too, follow its message.',
        damageOnly(error),
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
  unavailable('search_unavailable', 'The search index is being built. Try again in a moment.', 5)

/** The error, if it means that the file is damaged; throws any other error. */
function damageOnly(error: unknown): unknown {
  if (error instanceof AppError && error.code === 'database_damaged') {
    return error
  }
  throw error
}
