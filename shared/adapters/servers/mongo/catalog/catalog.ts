import type { Collection, Db, Document } from 'mongodb'
import type { Catalog } from '../../../../ports/catalog.js'
import type { Client } from '../../../../ports/client.js'
import type { ExportRows, IndexKind, IndexValue, ScanPosition } from '../../../../ports/dataset-reader.js'
import type { DeadLetter } from '../../../../ports/dead-letters.js'
import type { Fence, Lock } from '../../../../ports/locks.js'
import type { PutResult, StateChange, StateResult } from '../../../../ports/record-writer.js'
import type { FoundSkill, RepositorySkills, SkillListPage, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { FoundById, PassageQuery, SkillContent, WholeTextsQuery } from '../../../../ports/skill-texts.js'
import type { StarHistory } from '../../../../ports/star-histories.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordTypes, type StoredRecords, storedSchemas } from '../../../../records/records.js'
import { Skill, type StoredSkill, toPublicSkill } from '../../../../records/skill.js'
import type { TextMode } from '../../../../text/skill-text.js'
import { removals } from '../../../../write-outcome.js'
import { type MongoConnection, serverTime, translated } from '../connection.js'
import { Stamper } from '../ingest/stamper.js'
import { takeLease } from '../locks/lock.js'
import { findMetadata } from './catalog-metadata.js'
import type { RecordCollection } from './contended-writes.js'
import { MongoDeadLetters } from './dead-letters.js'
import { documentToPublished, documentToStored, fieldsOf, metadataField } from './document.js'
import { findById, idsOfRepository, listOfRepository, presentRepository } from './find-by-id.js'
import { findNearMatches } from './near-matches.js'
import { putRecords } from './put-records.js'
import { readBatches } from './read-documents.js'
import { idsAfter, scanById } from './scan-documents.js'
import { setStates } from './set-states.js'
import { SkillPages } from './skill-pages.js'
import { MongoSkillTexts } from './skill-texts.js'
import { MongoStarHistories } from './star-histories.js'
import { MongoStateStore } from './state-store.js'
import { computeStats, exportRows, largestValues } from './statistics.js'

/**
 * The catalog in a MongoDB that other applications write as well: one document per record in `skills`, `prompts` and
 * `organizations`, with any `_id`. The data of the jobs is in `state`, `dead_letters` and `locks`.
 *
 * A document that another application wrote is listed and found once it has been stamped with catalog metadata.
 */
export class MongoCatalog implements Catalog {
  readonly recordsPerPut = 5_000
  readonly #client: MongoConnection['client']
  readonly #db: Db
  readonly #settings: DocumentSettings
  readonly #stampers: Record<RecordType, Stamper>
  readonly #pages: SkillPages
  readonly #state: MongoStateStore
  readonly #deadLetters: MongoDeadLetters
  readonly #histories: MongoStarHistories
  readonly #texts: MongoSkillTexts
  /** Only the fields of a public skill: the rest stays in the database. */
  readonly #projection: Document
  /** Null when the document has been hidden or damaged since it was ingested, until the next ingest notices it. */
  readonly #publicSkill = (document: Document): Skill | null => {
    const parsed = Skill.safeParse(documentToPublished('skills', document, this.#settings))
    return parsed.success ? toPublicSkill(parsed.data) : null
  }

  constructor({ client, db }: MongoConnection, settings: DocumentSettings, textMode: TextMode = 'cleaned') {
    this.#client = client
    this.#db = db
    this.#settings = settings
    const stamper = (type: RecordType) => new Stamper(db.collection(type), type, settings)
    this.#stampers = {
      skills: stamper('skills'),
      prompts: stamper('prompts'),
      organizations: stamper('organizations'),
    }
    this.#state = new MongoStateStore(db)
    this.#deadLetters = new MongoDeadLetters(db)
    this.#histories = new MongoStarHistories(db)
    this.#texts = new MongoSkillTexts(db, {
      findStored: (ids) => this.findStored('skills', ids, 'fields'),
      names: settings.fields.skills,
      mode: textMode,
    })
    this.#projection = fieldsOf('skills', settings.fields)
    this.#pages = new SkillPages({
      skills: this.#skills,
      state: this.#state,
      projection: this.#projection,
      toPublic: this.#publicSkill,
    })
  }

  listSkills(query: SkillListQuery): Promise<SkillListPage> {
    return translated(() => this.#pages.page(query))
  }

  async findSkill(id: string): Promise<FoundSkill> {
    const [found = { state: 'unknown' }] = await this.findSkills([id])
    return found
  }

  findSkills(ids: string[]): Promise<FoundSkill[]> {
    return translated(() => findById(this.#skills, ids, this.#projection, this.#publicSkill))
  }

  listOfRepository(repository: string, limit?: number): Promise<RepositorySkills> {
    return translated(() =>
      listOfRepository(this.#skills, { repository, limit }, this.#projection, (document) =>
        this.#publicSkill(document),
      ),
    )
  }

  presentRepository(repository: string): Promise<string | null> {
    return translated(() => presentRepository(this.#skills, repository))
  }

  nearMatches(id: string, limit: number): Promise<string[]> {
    return translated(() => findNearMatches(this.#skills, id, limit))
  }

  put<T extends RecordType>(
    type: T,
    records: StoredRecords[T][],
    keepHidden: ReadonlySet<string> = new Set(),
    holdChanges = false,
  ): Promise<PutResult> {
    return translated(async () => {
      const now = await this.#stampNew(type)
      const counts = await putRecords(this.#target(type, now), records, keepHidden, holdChanges)
      const droppedTexts = type === 'skills' ? await this.#texts.dropOthers(records as StoredSkill[], counts.held) : 0
      this.#pages.forget()
      return droppedTexts === 0 ? counts : { ...counts, droppedTexts }
    })
  }

  setStates(type: RecordType, changes: StateChange[]): Promise<StateResult> {
    return translated(async () => {
      const now = await this.#stampNew(type)
      const result = await setStates(this.#target(type, now), changes)
      if (type === 'skills') {
        await this.#texts.dropOthers(
          changes.filter(({ id, state }) => state === 'removed' && result.changed.includes(id)),
        )
      }
      this.#pages.forget()
      return result
    })
  }

  async remove(type: RecordType, ids: string[]): Promise<number> {
    return (await this.setStates(type, removals(ids))).changed.length
  }

  findStored(type: RecordType, ids: string[], members: 'all' | 'fields' = 'all'): ReturnType<Catalog['findStored']> {
    return translated(async () => {
      const now = await this.#stampNew(type)
      const found: { id: string; stored: unknown }[] = []
      const filter = { [`${metadataField}.id`]: { $in: ids } }
      for await (const documents of readBatches(this.#db.collection(type), filter, ids.length)) {
        await this.#stampers[type].stampChanged(documents, now)
        found.push(...documents.flatMap((document) => this.#identified(type, document, members)))
      }
      return found
    })
  }

  idsOfRepository(repository: string): Promise<string[]> {
    return translated(async () => {
      await this.#stampNew('skills')
      return idsOfRepository(this.#skills, repository)
    })
  }

  listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]> {
    return translated(async () => {
      await this.#stampNew(type)
      return idsAfter(this.#db.collection(type), afterId, limit)
    })
  }

  scanSkills(afterId: string | null, limit: number): Promise<Skill[]> {
    return translated(() => scanById(this.#skills, { afterId, limit }, this.#projection, this.#publicSkill))
  }

  scanForIndex(after: ScanPosition | null, limit: number): Promise<Skill[]> {
    return this.scanSkills(after?.id ?? null, limit)
  }

  computeStats(): ReturnType<Catalog['computeStats']> {
    return translated(async () => {
      for (const type of recordTypes) {
        await this.#stampNew(type)
      }
      return computeStats(this.#db, this.#settings)
    })
  }

  largestValues(of: IndexKind): Promise<IndexValue[]> {
    return translated(() => largestValues(this.#db, of))
  }

  exportRows<T extends RecordType>(
    type: T,
    limit: number,
    maxCharacters = Number.POSITIVE_INFINITY,
  ): Promise<ExportRows<T>> {
    return translated(async () => {
      await this.#stampNew(type)
      return exportRows(this.#db, type, { limit, maxCharacters }, this.#settings)
    })
  }

  readState<T>(key: string): Promise<T | null> {
    return translated(() => this.#state.readState<T>(key))
  }

  writeState(key: string, value: unknown, fence?: Fence): Promise<void> {
    return translated(() => this.#state.writeState(key, value, fence))
  }

  keepDeadLetters(letters: DeadLetter[], fence: Fence): Promise<void> {
    return translated(() => this.#deadLetters.keepDeadLetters(letters, fence))
  }

  dropDeadLetters(ids: string[], source: DeadLetter['source'], fence: Fence): Promise<void> {
    return translated(() => this.#deadLetters.dropDeadLetters(ids, source, fence))
  }

  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    return translated(() => this.#deadLetters.listDeadLetters(afterId, limit))
  }

  keepContents(contents: SkillContent[]): Promise<void> {
    return translated(() => this.#texts.keepContents(contents))
  }

  readText(skill: FoundById): ReturnType<Catalog['readText']> {
    return translated(() => this.#texts.readText(skill))
  }

  readTexts(skills: FoundById[], client?: Client): Promise<Map<string, string>> {
    return translated(() => this.#texts.readTexts(skills, client))
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

  writeHistories(histories: Parameters<Catalog['writeHistories']>[0], fence: Fence): Promise<void> {
    return translated(() => this.#histories.writeHistories(histories, fence))
  }

  listTrending(afterId: string | null, limit: number): Promise<string[]> {
    return translated(() => this.#histories.listTrending(afterId, limit))
  }

  lock(name: string): Promise<Lock | null> {
    return translated(() => takeLease(this.#db, name))
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  get #skills(): Collection {
    return this.#db.collection('skills')
  }

  #target<T extends RecordType>(type: T, now: Date): RecordCollection<T> {
    return { collection: this.#db.collection(type), type, settings: this.#settings, stamper: this.#stampers[type], now }
  }

  /** Stamps the documents that other applications have added. Returns the database's time before that. */
  async #stampNew(type: RecordType): Promise<Date> {
    const now = await serverTime(this.#db)
    await this.#stampers[type].stampNew(now)
    this.#pages.forget()
    return now
  }

  #identified(
    type: RecordType,
    document: Document,
    members: 'all' | 'fields',
  ): { id: string; stored: Record<string, unknown> }[] {
    const { id } = findMetadata(document)
    const stored = documentToStored(type, document, this.#settings)
    const fields = storedSchemas[type].shape
    const kept =
      members === 'all' ? stored : Object.fromEntries(Object.entries(stored).filter(([name]) => name in fields))
    return id === undefined ? [] : [{ id, stored: kept }]
  }
}
