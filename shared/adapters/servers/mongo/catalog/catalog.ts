import type { Collection, Db } from 'mongodb'
import type { Catalog, StarHistory } from '../../../../ports/catalog.js'
import type { ExportRows, IndexKind, IndexValue, ScanPosition } from '../../../../ports/dataset-reader.js'
import type { DeadLetter } from '../../../../ports/document-ingest.js'
import { type Lock, withLock } from '../../../../ports/locks.js'
import type { Heir, PutOptions, PutResult, StateChange, StateResult } from '../../../../ports/record-writer.js'
import type { FoundSkill, Repository, SkillListPage, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { FoundById, PassageQuery, SkillContent, WholeTextsQuery } from '../../../../ports/skill-texts.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import type { RecordType, StoredRecords } from '../../../../records/records.js'
import { type Skill, type StoredSkill, skillOf } from '../../../../records/skill.js'
import { ingestName } from '../../../../state-keys.js'
import type { TextMode } from '../../../../text/skill-text.js'
import { removals } from '../../../../write-outcome.js'
import { MongoChangeLog } from '../change-log/change-log.js'
import { type MongoConnection, serverTime, translated } from '../connection.js'
import { MongoIngest } from '../ingest/ingest.js'
import { takeLease } from '../locks/lock.js'
import { documentsOf, type Row, rowsOf } from '../rows.js'
import { findById, findNearMatches, heirsOf, idsAfter, idsOfRepository, readRepository } from './find-by-id.js'
import { MongoDeadLetters, MongoStarHistories, MongoStateStore } from './job-data.js'
import { SkillPages } from './skill-pages.js'
import { MongoSkillTexts } from './skill-texts.js'
import { putRecords, type Sources, setStates, storedOf, type WrittenSources } from './source-writes.js'
import { computeStats, exportRows, largestValues } from './statistics.js'

/** How long a write waits for the ingest of another process, which may be comparing all documents. */
const lockWaitMs = 600_000

/**
 * The catalog in MongoDB. Crawlers and imports write documents into `skills`, `prompts` and `organizations`, with any
 * `_id`; what is read of them is in the rows of `catalog_skills`, `catalog_prompts` and `catalog_organizations`, which the
 * ingest makes of them. The data of the jobs is in `state`, `dead_letters` and `locks`.
 */
export class MongoCatalog implements Catalog {
  readonly recordsPerPut = 5_000
  /** Follows the documents; also reads those that this catalog writes. */
  readonly documents: MongoIngest
  readonly changes: MongoChangeLog
  readonly #client: MongoConnection['client']
  readonly #db: Db
  readonly #settings: DocumentSettings
  readonly #pages: SkillPages
  readonly #state: MongoStateStore
  readonly #deadLetters: MongoDeadLetters
  readonly #histories: MongoStarHistories
  readonly #texts: MongoSkillTexts

  constructor({ client, db }: MongoConnection, settings: DocumentSettings, textMode: TextMode = 'cleaned') {
    this.#client = client
    this.#db = db
    this.#settings = settings
    this.#state = new MongoStateStore(db)
    this.#deadLetters = new MongoDeadLetters(db)
    this.#histories = new MongoStarHistories(db)
    this.#texts = new MongoSkillTexts(db, textMode, settings.fields.skills.skillMd.length > 0)
    this.changes = new MongoChangeLog(db)
    const [texts, letters] = [this.#texts, this.#deadLetters]
    this.documents = new MongoIngest({ db, settings, rows: this.changes.writer, texts, letters })
    this.#pages = new SkillPages(this.#skills)
  }

  listSkills(query: SkillListQuery): Promise<SkillListPage> {
    return translated(() => this.#pages.page(query))
  }

  async listVersion(): Promise<null> {
    return null
  }

  async findSkill(id: string): Promise<FoundSkill> {
    const [found = { state: 'unknown' }] = await this.findSkills([id])
    return found
  }

  findSkills(ids: string[]): Promise<FoundSkill[]> {
    return translated(() => findById(this.#skills, ids))
  }

  readRepository(repository: string, limit?: number): Promise<Repository> {
    return translated(() => readRepository(this.#skills, repository, limit))
  }

  nearMatches(id: string, limit: number): Promise<string[]> {
    return translated(() => findNearMatches(this.#skills, id, limit))
  }

  put<T extends RecordType>(type: T, records: StoredRecords[T][], options?: PutOptions): Promise<PutResult> {
    return this.#write(async (lock) => {
      const target = this.#target(type, lock)
      const { result, written, added } = await putRecords(target, records, options)
      const without = (type === 'skills' ? (records as StoredSkill[]) : []).filter(
        ({ id, digest, state }) => !digest && state !== 'removed' && result.held?.includes(id) !== true,
      )
      const droppedTexts = await this.#texts.countOf(without.map(({ id }) => id))
      await this.documents.ingestSources(type, written, lock, added)
      // The events of these writes, so that no other process reads them all again.
      await this.documents.ingest(lock)
      return droppedTexts === 0 ? result : { ...result, droppedTexts }
    })
  }

  setStates(type: RecordType, changes: StateChange[]): Promise<StateResult> {
    return this.#write(async (lock) => {
      const target = this.#target(type, lock)
      const { result, written } = await setStates(target, changes, await serverTime(this.#db))
      await target.refresh(written)
      return result
    })
  }

  async remove(type: RecordType, ids: string[]): Promise<number> {
    return (await this.setStates(type, removals(ids))).changed.length
  }

  findStored(type: RecordType, ids: string[], members: 'all' | 'fields' = 'all'): ReturnType<Catalog['findStored']> {
    return translated(() => storedOf(this.#sources(type), ids, members))
  }

  idsOfRepository(repository: string): Promise<string[]> {
    return translated(() => idsOfRepository(this.#skills, repository))
  }

  findHeirs(formerIds: string[]): Promise<Heir[]> {
    return translated(() => heirsOf(this.#skills, formerIds))
  }

  listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]> {
    return translated(() => idsAfter(rowsOf(this.#db, type), afterId, limit))
  }

  scanSkills(afterId: string | null, limit: number): Promise<Skill[]> {
    return translated(async () => {
      const filter = { state: 'published' as const, _id: { $gt: afterId ?? '' } }
      const rows = await this.#skills.find(filter, { sort: { _id: 1 }, limit, projection: { record: 1 } }).toArray()
      return rows.flatMap(({ record }) => (record === undefined ? [] : [skillOf({ record })]))
    })
  }

  scanForIndex(after: ScanPosition | null, limit: number): Promise<Skill[]> {
    return this.scanSkills(after?.id ?? null, limit)
  }

  computeStats(): ReturnType<Catalog['computeStats']> {
    return translated(() => computeStats(this.#db))
  }

  largestValues(of: IndexKind): Promise<IndexValue[]> {
    return translated(() => largestValues(this.#db, of))
  }

  exportRows<T extends RecordType>(
    type: T,
    limit: number,
    maxCharacters = Number.POSITIVE_INFINITY,
  ): Promise<ExportRows<T>> {
    return translated(() => exportRows(this.#db, type, { limit, maxCharacters }))
  }

  readState<T>(key: string): Promise<T | null> {
    return translated(() => this.#state.readState<T>(key))
  }

  writeState(key: string, value: unknown, lock?: Lock): Promise<void> {
    return translated(() => this.#state.writeState(key, value, lock))
  }

  keepDeadLetters(letters: DeadLetter[], lock: Lock): Promise<void> {
    return translated(() => this.#deadLetters.keepDeadLetters(letters, lock))
  }

  dropDeadLetters(ids: string[], source: DeadLetter['source'], lock: Lock): Promise<void> {
    return translated(() => this.#deadLetters.dropDeadLetters(ids, source, lock))
  }

  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    return translated(() => this.#deadLetters.listDeadLetters(afterId, limit))
  }

  keepContents(contents: SkillContent[]): Promise<void> {
    return this.#write(async (lock) => {
      const changed = await this.#texts.keepContents(contents)
      await this.documents.ingestSources('skills', changed, lock)
    })
  }

  readText(skill: FoundById): ReturnType<Catalog['readText']> {
    return translated(() => this.#texts.readText(skill))
  }

  readTexts(skills: FoundById[]): Promise<Map<string, string>> {
    return translated(() => this.#texts.readTexts(skills))
  }

  findPassages(skills: PassageQuery[]): ReturnType<Catalog['findPassages']> {
    return translated(() => this.#texts.findPassages(skills))
  }

  readWholeTexts(skills: FoundById[], query: WholeTextsQuery): ReturnType<Catalog['readWholeTexts']> {
    return translated(() => this.#texts.readWholeTexts(skills, query))
  }

  readFiles(skill: FoundById): ReturnType<Catalog['readFiles']> {
    return translated(() => this.#texts.readFiles(skill))
  }

  readHistories(ids: string[]): Promise<StarHistory[]> {
    return translated(() => this.#histories.readHistories(ids))
  }

  writeHistories(histories: Parameters<Catalog['writeHistories']>[0], lock: Lock): Promise<void> {
    return translated(() => this.#histories.writeHistories(histories, lock))
  }

  listTrending(afterId: string | null, limit: number): Promise<string[]> {
    return translated(() => this.#histories.listTrending(afterId, limit))
  }

  lock(name: string): Promise<Lock | null> {
    return translated(() => takeLease(this.#db, name))
  }

  async close(): Promise<void> {
    await this.documents.close()
    await this.#client.close()
  }

  get #skills(): Collection<Row> {
    return rowsOf(this.#db, 'skills')
  }

  /** Does work under the lock of the ingest, after the documents that were written before have been read. */
  #write<T>(work: (lock: Lock) => Promise<T>): Promise<T> {
    const whenRead = async (lock: Lock) => {
      try {
        while ((await this.documents.ingest(lock)).more) {
          // Until all that was written before is ingested.
        }
        return await work(lock)
      } finally {
        this.#pages.forgetTotals()
      }
    }
    return translated(() => withLock({ catalog: this }, ingestName, lockWaitMs, whenRead))
  }

  #target<T extends RecordType>(type: T, lock: Lock): WrittenSources<T> {
    return { ...this.#sources(type), refresh: (sources) => this.documents.ingestSources(type, sources, lock) }
  }

  #sources<T extends RecordType>(type: T): Sources<T> {
    return { collection: documentsOf(this.#db, type), rows: rowsOf(this.#db, type), type, settings: this.#settings }
  }
}
