import type { Vector } from '../../../../ports/embedder.js'
import type { Lock } from '../../../../ports/locks.js'
import type {
  ApplyOutcome,
  IndexReplica,
  IndexTarget,
  RelatedSkill,
  SearchDocument,
  SearchPage,
  SearchQuery,
  SkillWithText,
} from '../../../../ports/search-index.js'
import { readQuery } from '../../../../ranking/concepts.js'
import { parseSearchText } from '../../../../ranking/interpret-query.js'
import { readSynonyms, type Synonyms } from '../../../../ranking/other-words.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import { indexBeingBuilt } from '../../../../runtime/errors.js'
import { settingsFingerprint } from '../../../../search-settings.js'
import type { SqliteDatabase } from '../database.js'
import { narrowingOf } from '../filters.js'
import {
  bestOfRepositories,
  facetCounts,
  findByMeaning,
  findByRelevance,
  findInOrder,
  readHits,
  recordsAt,
  relatedTo,
} from './hits.js'
import { listMeeting } from './in-order.js'
import { IndexFiles, type OpenIndex } from './index-files.js'
import { type PreparedSearch, phrase, SqliteVocabulary } from './index-reads.js'
import { createLookups, type PreparedDocument, prepareDocument } from './index-tables.js'
import { listDocuments, vectorsOf, writeDocuments } from './index-writes.js'
import { suggestedRanks } from './suggestions.js'
import { dimensionsOf } from './vector-codes.js'

/** Documents per write transaction, which bounds the time that the write lock is held. */
export const documentsPerApply = 5_000

/** Options of an index; all may be absent. */
interface SqliteSearchOptions {
  /** Default: those that are shipped. */
  synonyms?: Synonyms
  /** Names the model of the vectors; null, the default: documents have none. */
  model?: string | null
  /** See `RangesOfRanks`. */
  readFirst?: number[]
  /** Whether a missing index is created; default true. */
  writes?: boolean
}

/**
 * Full-text search in an SQLite file with FTS5, next to the catalog's file, which has the records. Calls run in the
 * calling thread and have been answered when they return.
 */
export class SqliteSearchIndex implements IndexReplica {
  /** SQLite has one writer: more would only wait, in memory. */
  readonly appliesAtOnce = 1
  readonly documentsPerApply = documentsPerApply
  readonly settings: string
  readonly #synonyms: Synonyms
  readonly #files: IndexFiles

  /** Creates an empty live index where there is none. @param catalog stays the caller's to close */
  constructor(
    catalog: SqliteDatabase,
    { synonyms = readSynonyms(), model = null, readFirst, writes = true }: SqliteSearchOptions = {},
  ) {
    this.#synonyms = synonyms
    this.#files = new IndexFiles(catalog, readFirst)
    this.settings = settingsFingerprint(model)
    if (writes) {
      this.#files.createFirst(this.settings)
    }
  }

  /**
   * Opens the live index where another one was built, and reads what the first search would wait for: seconds in a large
   * catalog that is not in the system's cache.
   */
  async readAhead(): Promise<void> {
    this.#read('live', ({ db, codes, ranges }) => {
      ranges.of(db, new SqliteVocabulary(db).documents, 0)
      codes.update(db, dimensionsOf(db) ?? 0)
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
    return this.#read('live', ({ db, codes, ranges, settings }) => {
      const vocabulary = new SqliteVocabulary(db)
      const read = readQuery(text, vocabulary, this.#synonyms)
      const excluded = text.excluded.map(({ tokens }) => tokens)
      const occurrences = read.occurrences + vocabulary.occurrences(excluded.flat())
      const narrowing = narrowingOf(query.filters, excluded.map(phrase))
      const isByRelevance = query.sort === 'relevance' && text.terms.length > 0
      // Vectors of another model cannot be compared.
      const canMean = isByRelevance && settings === this.settings && isComparable(db, query.meaning)
      const meaning = canMean && query.meaning !== null ? { ...query.meaning, codes } : null
      const search: PreparedSearch = {
        db,
        query,
        vocabulary,
        read,
        meaning,
        phrases: text.terms.filter(({ quoted }) => quoted).map(({ tokens }) => tokens),
        excluded,
        narrowing,
        meeting: narrowing.rows.length === 0 ? null : listMeeting(db, vocabulary.documents, narrowing),
        ranges: ranges.of(db, vocabulary.documents, occurrences),
      }
      const {
        matches: found,
        areMore,
        conceptsIn = () => [],
      } = !isByRelevance
        ? findInOrder(search)
        : meaning?.alone
          ? findByMeaning(search, meaning)
          : findByRelevance(search)
      const matches = query.distinct === undefined ? found : bestOfRepositories(db, found)
      const page = matches.slice(query.offset, query.offset + query.limit)
      return {
        hits: readHits(search, page, conceptsIn),
        total: matches.length,
        totalIsLowerBound: areMore,
        facets: Object.fromEntries(query.facets.map((facet) => [facet, facetCounts(search, matches, facet)])),
        byMeaning: meaning !== null,
      }
    })
  }

  async related(id: string, limit: number): Promise<RelatedSkill[]> {
    return this.#read('live', ({ db, codes }) => {
      const near = new Map(relatedTo(db, codes, id, limit).map(({ rank, similarity }) => [rank, similarity]))
      return [...recordsAt(db, [...near.keys()])].map(([rank, record]) => ({ record, similarity: near.get(rank) ?? 0 }))
    })
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return this.#read('live', ({ db, ranges }) => {
      const ranks = suggestedRanks({ db, synonyms: this.#synonyms, ranges }, text, limit)
      return [...recordsAt(db, ranks).values()].map((record) => skillOf({ record }))
    })
  }

  async apply(
    changes: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    lock?: Lock,
  ): Promise<ApplyOutcome> {
    return this.applyPrepared({ ...changes, publish: changes.publish.map(prepareDocument) }, target, lock)
  }

  /** As `apply`, of documents that another thread has prepared. */
  async applyPrepared(
    changes: { publish: PreparedDocument[]; remove: string[] },
    target: IndexTarget,
    lock?: Lock,
  ): Promise<ApplyOutcome> {
    lock?.check()
    const { db } = this.#require(target)
    db.write(() => writeDocuments(db, changes))
    return { rejected: [] }
  }

  async list(
    afterId: string | null,
    limit: number,
    target: IndexTarget,
  ): Promise<{ id: string; contentHash: string }[]> {
    return this.#read(target, ({ db }) => listDocuments(db, afterId ?? '', limit))
  }

  async knownVectors(skills: SkillWithText[]): Promise<Map<string, Vector>> {
    const targets: IndexTarget[] = ['live', 'next']
    const current = targets.map((target) => this.#files.of(target)).filter((each) => each?.settings === this.settings)
    return new Map(current.flatMap((each) => (each === null ? [] : [...vectorsOf(each.db, skills)])))
  }

  async createNext(lock?: Lock): Promise<void> {
    lock?.check()
    this.#files.create('next', this.settings)
  }

  async swap(lock?: Lock): Promise<void> {
    lock?.check()
    const { db } = this.#require('next')
    db.write(() => createLookups(db))
    this.#files.swap()
  }

  async status(): Promise<{ documents: number; settings: string | null }> {
    const live = this.#files.of('live')
    return live === null
      ? { documents: 0, settings: null }
      : { documents: live.db.read(() => new SqliteVocabulary(live.db).documents), settings: live.settings }
  }

  async close(): Promise<void> {
    this.#files.close()
  }

  #read<T>(target: IndexTarget, work: (index: OpenIndex) => T): T {
    const index = this.#require(target)
    return index.db.read(() => work(index))
  }

  #require(target: IndexTarget): OpenIndex {
    const index = this.#files.of(target)
    if (index === null) {
      throw indexBeingBuilt()
    }
    return index
  }
}

/** Whether the index has vectors of this length, or none: a model may have been changed under the same name. */
const isComparable = (db: SqliteDatabase, meaning: SearchQuery['meaning']): boolean =>
  meaning?.vector.some((value) => value !== 0) === true && [null, meaning.vector.length].includes(dimensionsOf(db))
