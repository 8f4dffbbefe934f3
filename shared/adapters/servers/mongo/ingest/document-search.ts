import type { Db, Document, Filter } from 'mongodb'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import { stateKeys } from '../../../../state-keys.js'
import { MongoStateStore } from '../catalog/state-store.js'
import { serverTime } from '../connection.js'
import { NewDocuments } from './new-documents.js'

/** The interval of the search for new prompts and organizations, which are less urgent than skills. */
const otherTypesEveryMs = 30_000

/** The interval of steps of the comparison, see `NewDocuments`. */
const compareEveryMs = 10_000

/** The interval of reading the database's clock, and of storing the time of the last search for the next process. */
const clockEveryMs = 60_000

/** The interval of searches while the changes of found documents are logged, a batch at a time. */
const searchEveryMs = 2_000

/** The documents of one type. */
interface Source {
  type: RecordType
  documents: NewDocuments
}

/** Decides when which collections are searched for new and changed documents, and from what time on. */
export class DocumentSearch {
  readonly #db: Db
  readonly #state: MongoStateStore
  readonly #sources: Source[]
  /** The database's clock, and this process's monotonic clock at the same moment; milliseconds. */
  #clock: { databaseMs: number; ownMs: number } | null = null
  #hasBegun = false
  /** The time of the last search of the ingest that goes on, by the monotonic clock; null: none goes on. */
  #searchedAtMs: number | null = null
  #comparedAtMs = Number.NEGATIVE_INFINITY
  #searchedOthersAtMs = Number.NEGATIVE_INFINITY
  /** The number of comparisons so far: the types take turns. */
  #comparisons = 0

  constructor(db: Db, changedField: string) {
    this.#db = db
    this.#state = new MongoStateStore(db)
    this.#sources = recordTypes.map((type) => ({
      type,
      documents: new NewDocuments(db.collection(type), changedField),
    }))
  }

  /** Whether new or changed documents may exist. */
  async hasNew(): Promise<boolean> {
    await this.#begin()
    const nowMs = await this.#databaseMs()
    const searches = this.#dueSources().map(({ documents }) => documents.exist(nowMs))
    const found = (await Promise.all(searches)).some((exist) => exist)
    // Also where something is new: on a busy database that is always so.
    const hasChanged = await this.#compareNext()
    return found || hasChanged
  }

  /**
   * Searches all collections, but not for each batch of an ingest.
   *
   * @param now the database's time
   * @param stamp stamps the documents of a filter
   * @returns whether it has searched
   */
  async search(now: Date, stamp: (type: RecordType, filter: Filter<Document>) => Promise<void>): Promise<boolean> {
    const ownMs = performance.now()
    if (this.#searchedAtMs !== null && ownMs - this.#searchedAtMs < searchEveryMs) {
      return false
    }
    await this.#begin()
    for (const { type, documents } of this.#sources) {
      for (const filter of documents.filters(now.getTime())) {
        await stamp(type, filter)
      }
      documents.looked(now.getTime())
    }
    this.#searchedAtMs = ownMs
    return true
  }

  /** Records that a document that was found cannot be stamped. @param identity its `_id` */
  refused(type: RecordType, identity: Document[string]): void {
    this.#sources.find((source) => source.type === type)?.documents.refused(identity)
  }

  /** Records that the changes of all documents found have been read, and will be logged. */
  async ended(): Promise<void> {
    this.#searchedAtMs = null
    await this.#keepLookedAt()
  }

  /** Continues from the last search of an earlier process. */
  async #begin(): Promise<void> {
    if (!this.#hasBegun) {
      const lookedAtMs = await this.#state.readState<number>(stateKeys.ingestLookedAt)
      for (const { documents } of this.#sources) {
        documents.lookedAtMs = lookedAtMs
      }
      this.#hasBegun = true
    }
  }

  /** The database's clock, epoch milliseconds; read once a minute. */
  async #databaseMs(): Promise<number> {
    const ownMs = performance.now()
    if (this.#clock === null || ownMs - this.#clock.ownMs > clockEveryMs) {
      this.#clock = { databaseMs: (await serverTime(this.#db)).getTime(), ownMs }
      await this.#keepLookedAt()
    }
    return this.#clock.databaseMs + (ownMs - this.#clock.ownMs)
  }

  async #keepLookedAt(): Promise<void> {
    const times = this.#sources.map(({ documents }) => documents.lookedAtMs)
    if (!times.includes(null)) {
      await this.#state.writeState(stateKeys.ingestLookedAt, Math.min(...times.map(Number)))
    }
  }

  /** The sources to search now: skills always, the others at intervals. */
  #dueSources(): Source[] {
    const nowMs = performance.now()
    if (nowMs - this.#searchedOthersAtMs < otherTypesEveryMs) {
      return this.#sources.filter(({ type }) => type === 'skills')
    }
    this.#searchedOthersAtMs = nowMs
    return this.#sources
  }

  /** Compares the next documents, if due. @returns whether changed documents wait to be ingested */
  async #compareNext(): Promise<boolean> {
    const nowMs = performance.now()
    if (nowMs - this.#comparedAtMs >= compareEveryMs) {
      this.#comparedAtMs = nowMs
      await this.#sources[this.#comparisons % this.#sources.length]?.documents.compareStep()
      this.#comparisons += 1
    }
    return this.#sources.some(({ documents }) => documents.hasChanged)
  }
}
