import type { Vector } from '../../../../ports/embedder.js'
import type { Fence } from '../../../../ports/locks.js'
import {
  type ApplyOutcome,
  type IndexTarget,
  type IndexWriter,
  type RelatedSkill,
  type SearchDocument,
  type SearchIndex,
  type SearchPage,
  type SearchQuery,
  skillOf,
} from '../../../../ports/search-index.js'
import type { Skill } from '../../../../records/skill.js'
import { settingsFingerprint } from '../../../../search-settings.js'
import { readQuery } from '../../../../text/concepts.js'
import { parseSearchText } from '../../../../text/parse-search-text.js'
import { type Synonyms, synonyms as shippedSynonyms } from '../../../../text/synonyms.js'
import type { SqliteDatabase } from '../database.js'
import { narrowingOf } from './expressions.js'
import { facetCounts } from './facets.js'
import { beingPrepared, damageOnly, reportingDamage } from './index-errors.js'
import { createSlot, dropSlot, hasTables, type Slot, slots } from './index-tables.js'
import { writeDocuments } from './index-writes.js'
import { findByMeaning } from './meaning.js'
import { RangesOfRanks } from './rank-ranges.js'
import { readHits, recordsAt } from './read-hits.js'
import type { PreparedSearch } from './read-ranks.js'
import { relatedTo, vectorsOf } from './related.js'
import { findByWords } from './search.js'
import { suggestedRanks } from './suggestions.js'
import { VectorCodes } from './vector-codes.js'
import { dimensionsOf } from './vector-tables.js'
import { SqliteVocabulary } from './vocabulary.js'

/** Documents per write transaction, which bounds the time that the write lock is held. */
export const documentsPerApply = 1_000

export interface SqliteSearchOptions {
  /** Default: those that are shipped. */
  synonyms?: Synonyms
  /** Names the model of the vectors; null, the default: documents have none. */
  model?: string | null
  ranges?: RangesOfRanks
}

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
  readonly settings: string
  readonly #db: SqliteDatabase
  readonly #synonyms: Synonyms
  readonly #ranges: RangesOfRanks
  readonly #codes = new VectorCodes()

  /** Creates an empty live index where there is none. */
  constructor(
    db: SqliteDatabase,
    { synonyms = shippedSynonyms, model = null, ranges = new RangesOfRanks() }: SqliteSearchOptions = {},
  ) {
    this.#db = db
    this.#synonyms = synonyms
    this.#ranges = ranges
    this.settings = settingsFingerprint(model)
    if (this.#slotOf('live') === null) {
      db.write(() => {
        if (this.#slotOf('live') === null) {
          createSlot(db, 'a')
          this.#assign('live', 'a')
        }
      })
    }
  }

  /** Reads what the first search would wait for: seconds in a large catalog that is not in the system's cache. */
  async readAhead(): Promise<void> {
    this.#read(() => {
      const { slot } = this.#requireLive()
      this.#ranges.of(this.#db, slot, new SqliteVocabulary(this.#db, slot).documents, 0)
      this.#codes.update(this.#db, slot, dimensionsOf(this.#db, slot) ?? 0)
    })
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const text = parseSearchText(query.text)
    if (text.terms.length + text.excluded.length === 0) {
      return {
        hits: [],
        total: 0,
        totalIsLowerBound: false,
        facets: Object.fromEntries(query.facets.map((facet) => [facet, []])),
        // Nothing means what has no words: that is no fault.
        byMeaning: query.meaning !== null,
      }
    }
    return this.#read(() => {
      const { slot, isCurrent } = this.#requireLive()
      const vocabulary = new SqliteVocabulary(this.#db, slot)
      const read = readQuery(text, vocabulary, this.#synonyms)
      const excluded = vocabulary.occurrences(text.excluded.flatMap(({ tokens }) => tokens))
      const search: PreparedSearch = {
        db: this.#db,
        slot,
        query,
        read,
        narrowing: narrowingOf(query.filters, text.excluded),
        ranges: this.#ranges.of(this.#db, slot, vocabulary.documents, read.occurrences + excluded),
      }
      const canMean = isCurrent && query.sort === 'relevance' && text.terms.length > 0
      const meaning = canMean && this.#isComparable(slot, query.meaning) ? query.meaning : null
      const required = {
        filters: query.filters,
        phrases: text.terms.filter(({ quoted }) => quoted).map(({ tokens }) => tokens),
        excluded: text.excluded.map(({ tokens }) => tokens),
      }
      const { matches, areMore } =
        meaning === null ? findByWords(search) : findByMeaning(search, this.#codes, meaning, required)
      const page = matches.slice(query.offset, query.offset + query.limit)
      return {
        hits: readHits(search, query, page),
        total: matches.length,
        totalIsLowerBound: areMore,
        facets: Object.fromEntries(query.facets.map((facet) => [facet, facetCounts(search, matches, facet)])),
        byMeaning: meaning !== null,
      }
    })
  }

  async related(id: string, limit: number): Promise<RelatedSkill[]> {
    return this.#read(() => {
      const { slot } = this.#requireLive()
      const near = relatedTo(this.#db, slot, this.#codes, id, limit)
      const ranks = near.map(({ rank }) => rank)
      const records = recordsAt(this.#db, slot, ranks)
      return near.map(({ rank, similarity }) => ({ record: records.get(rank) ?? '', similarity }))
    })
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return this.#read(() => {
      const { slot } = this.#requireLive()
      const from = { db: this.#db, slot, synonyms: this.#synonyms, ranges: this.#ranges }
      const ranks = suggestedRanks(from, text, limit)
      const records = recordsAt(this.#db, slot, ranks)
      return ranks.flatMap((rank) => {
        const record = records.get(rank)
        return record === undefined ? [] : [skillOf({ record })]
      })
    })
  }

  async apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    fence?: Fence,
  ): Promise<ApplyOutcome> {
    fence?.check()
    reportingDamage(this.#db, () => this.#db.write(() => writeDocuments(this.#db, this.#requireSlot(target), changes)))
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

  async knownVectors(skills: Skill[]): Promise<Map<string, Vector>> {
    return this.#read(() => {
      const rows = this.#db.all<{ slot: Slot; settings: string }>("SELECT * FROM index_slots ORDER BY role = 'next'")
      const current = rows.filter(({ settings }) => settings === this.settings)
      return new Map(current.flatMap(({ slot }) => [...vectorsOf(this.#db, slot, skills)]))
    })
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
    return reportingDamage(this.#db, () => this.#db.read(work))
  }

  /** Vectors of another model cannot be compared, nor those of one that was changed under the same name. */
  #isComparable(slot: Slot, meaning: SearchQuery['meaning']): boolean {
    return (
      meaning?.vector.some((value) => value !== 0) === true &&
      [null, meaning.vector.length].includes(dimensionsOf(this.#db, slot))
    )
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

  /** The live slot. One that was built with other settings is being replaced, and answers if it has the tables. */
  #requireLive(): { slot: Slot; isCurrent: boolean } {
    const row = this.#db.get<{ slot: Slot; settings: string }>(
      `SELECT slot, settings FROM index_slots WHERE role = 'live'`,
    )
    const isCurrent = row?.settings === this.settings
    if (row === null || !(isCurrent || hasTables(this.#db, row.slot))) {
      throw beingPrepared()
    }
    return { slot: row.slot, isCurrent }
  }

  #assign(role: IndexTarget, slot: Slot): void {
    this.#db.run('INSERT OR REPLACE INTO index_slots VALUES (?, ?, ?)', [role, slot, this.settings])
  }
}
