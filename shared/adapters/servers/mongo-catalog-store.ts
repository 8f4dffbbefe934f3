import type { Collection, Db, Document } from 'mongodb'
import type { DocumentSettings } from '../../document-settings.js'
import { queryTimeout } from '../../errors.js'
import type {
  CatalogStore,
  DeadLetter,
  FoundSkill,
  Lock,
  PutCounts,
  SkillChanges,
  SkillListPage,
  SkillListQuery,
} from '../../ports/catalog-store.js'
import { type PublicRecords, type RecordType, recordTypes, type StoredRecords } from '../../records/records.js'
import { Skill, type StoredSkill, toPublicSkill } from '../../records/skill.js'
import { changesAfter, presentWatermark } from './mongo-changes.js'
import { type MongoConnection, serverTime, translated } from './mongo-connection.js'
import { documentToPublished, documentToStored, ownMember } from './mongo-document.js'
import { computeStats, exportRows } from './mongo-figures.js'
import { findById } from './mongo-find-by-id.js'
import { JobNotes } from './mongo-job-notes.js'
import { takeLease } from './mongo-lock.js'
import { findNearMatches } from './mongo-near-matches.js'
import { isTimeExpired, jobLimit, QueryTime } from './mongo-query-time.js'
import { findListed, positionOf } from './mongo-skill-list.js'
import { SkillWalks } from './mongo-skill-walk.js'
import { TakeIn } from './mongo-take-in.js'
import { SkillTotals } from './mongo-totals.js'
import { watchCollection } from './mongo-watch.js'
import { putRecords, type RecordCollection, removeRecords } from './mongo-writes.js'

/**
 * The catalog in a MongoDB that others write as well: in `skills`, `prompts` and `organizations`, one document a
 * record, by any `_id`. What the indexer needs beside them is in `state`, `dead_letters` and `locks`.
 *
 * A document that someone else wrote is listed and found from the moment it was taken in, which `changesAfter` does.
 */
export class MongoCatalogStore implements CatalogStore {
  readonly #client: MongoConnection['client']
  readonly #db: Db
  readonly #settings: DocumentSettings
  readonly #takeIns: Record<RecordType, TakeIn>
  readonly #totals: SkillTotals
  readonly #walks: SkillWalks
  readonly #notes: JobNotes

  constructor({ client, db }: MongoConnection, settings: DocumentSettings) {
    this.#client = client
    this.#db = db
    this.#settings = settings
    const takeIn = (type: RecordType) => new TakeIn(db.collection(type), type, settings)
    this.#takeIns = {
      skills: takeIn('skills'),
      prompts: takeIn('prompts'),
      organizations: takeIn('organizations'),
    }
    this.#totals = new SkillTotals(db.collection('skills'))
    this.#walks = new SkillWalks(db.collection('skills'))
    this.#notes = new JobNotes(db)
  }

  listSkills(query: SkillListQuery): Promise<SkillListPage> {
    return translated(async () => {
      const [counted, found] = await Promise.all([this.#totals.count(query.filters), this.#findListed(query)])
      const documents = found.slice(0, query.limit)
      const last = documents.at(-1)
      return {
        skills: documents.flatMap((document) => this.#publicSkill(document) ?? []),
        // What this page shows is there at least.
        ...(counted ?? { total: found.length === 0 ? 0 : (query.offset ?? 0) + found.length, totalIsLowerBound: true }),
        next: found.length > query.limit && last !== undefined ? positionOf(last, query.sort) : null,
      }
    })
  }

  async findSkill(id: string): Promise<FoundSkill> {
    const [found = { state: 'unknown' }] = await this.findSkills([id])
    return found
  }

  findSkills(ids: string[]): Promise<FoundSkill[]> {
    return translated(() => findById(this.#skills, ids, this.#projection, (document) => this.#publicSkill(document)))
  }

  nearMatches(id: string, limit: number): Promise<string[]> {
    return translated(() => findNearMatches(this.#skills, id, limit))
  }

  put<T extends RecordType>(
    type: T,
    records: StoredRecords[T][],
    keepHidden: ReadonlySet<string> = new Set(),
  ): Promise<PutCounts> {
    return translated(async () => {
      await this.#takeIn(type)
      const counts = await putRecords(this.#target(type), records, keepHidden)
      this.#totals.clear()
      return counts
    })
  }

  remove(type: RecordType, ids: string[]): Promise<number> {
    return translated(async () => {
      const now = await this.#takeIn(type)
      const removed = await removeRecords(this.#target(type), ids, now)
      this.#totals.clear()
      return removed
    })
  }

  findStored(type: RecordType, ids: string[]): Promise<{ id: string; stored: unknown }[]> {
    return translated(async () => {
      await this.#takeIn(type)
      const documents = await this.#db
        .collection(type)
        .find({ [`${ownMember}.id`]: { $in: ids } })
        .toArray()
      await this.#takeIns[type].takeInChanged(documents)
      return documents.map((document) => this.#identified(type, document))
    })
  }

  listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]> {
    return translated(async () => {
      await this.#takeIn(type)
      const filter = { [`${ownMember}.id`]: { $gt: afterId ?? '' }, [`${ownMember}.state`]: { $ne: 'removed' } }
      const documents = await this.#db
        .collection(type)
        .find(filter, { sort: { [`${ownMember}.id`]: 1 }, limit, projection: { [`${ownMember}.id`]: 1 } })
        .toArray()
      return documents.map((document) => document[ownMember].id)
    })
  }

  changesAfter(watermark: string | null, limit: number): Promise<SkillChanges> {
    return translated(async () => {
      const now = await this.#takeIn('skills')
      const { documents, ...changes } = await changesAfter(
        this.#skills,
        watermark,
        limit,
        now.getTime(),
        this.#settings.fields,
      )
      // Changed while it was being taken in: it comes again, as what it is by then.
      await this.#takeIns.skills.takeInChanged(documents)
      return changes
    })
  }

  presentWatermark(): Promise<string> {
    return translated(async () => {
      const now = await this.#takeIn('skills')
      return presentWatermark(this.#skills, now.getTime())
    })
  }

  watch(onChange: () => void): () => Promise<void> {
    return watchCollection(this.#skills, onChange)
  }

  scanSkills(afterId: string | null, limit: number): Promise<{ id: string; stored: StoredSkill }[]> {
    return translated(async () => {
      const documents = await this.#walks.page(afterId, limit)
      // Whoever passes over everything meets what was changed without a sign of it.
      await this.#takeIns.skills.takeInChanged(documents)
      await this.#takeIns.skills.takeInDuplicates(documents)
      return documents.map((document) => this.#identified('skills', document) as { id: string; stored: StoredSkill })
    })
  }

  countPublished(): Promise<number> {
    return translated(() => this.#skills.countDocuments({ [`${ownMember}.state`]: 'published' }, jobLimit))
  }

  computeStats(): ReturnType<CatalogStore['computeStats']> {
    return translated(async () => {
      for (const type of recordTypes) {
        await this.#takeIn(type)
      }
      return computeStats(this.#db, this.#settings.fields)
    })
  }

  exportRows<T extends RecordType>(type: T, limit: number): Promise<{ total: number; rows: PublicRecords[T][] }> {
    return translated(async () => {
      await this.#takeIn(type)
      return exportRows(this.#db, type, limit, this.#settings.fields)
    })
  }

  readState<T>(key: string): Promise<T | null> {
    return translated(() => this.#notes.readState<T>(key))
  }

  writeState(key: string, value: unknown): Promise<void> {
    return translated(() => this.#notes.writeState(key, value))
  }

  keepDeadLetters(letters: DeadLetter[]): Promise<void> {
    return translated(() => this.#notes.keepDeadLetters(letters))
  }

  dropDeadLetters(ids: string[]): Promise<void> {
    return translated(() => this.#notes.dropDeadLetters(ids))
  }

  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    return translated(() => this.#notes.listDeadLetters(afterId, limit))
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

  /** The fields that a public skill is made from, and no other: the rest stays in the database. */
  get #projection(): Document {
    const names = Object.values(this.#settings.fields.skills).flat()
    return Object.fromEntries([...names, ownMember].map((name) => [name, 1]))
  }

  /** One document more than the page has shows whether there is a next one. */
  async #findListed(query: SkillListQuery): Promise<Document[]> {
    try {
      return await findListed(this.#skills, { ...query, limit: query.limit + 1 }, this.#projection, new QueryTime())
    } catch (error) {
      throw isTimeExpired(error)
        ? queryTimeout('This list takes too long. Ask with fewer filters, a rarer one, or in another order.', error)
        : error
    }
  }

  #target<T extends RecordType>(type: T): RecordCollection<T> {
    return { collection: this.#db.collection(type), type, settings: this.#settings, takeIn: this.#takeIns[type] }
  }

  /** Returns the database's time before it began. */
  async #takeIn(type: RecordType): Promise<Date> {
    const now = await serverTime(this.#db)
    await this.#takeIns[type].run(now.getTime())
    this.#totals.clear()
    return now
  }

  #identified(type: RecordType, document: Document): { id: string; stored: unknown } {
    return { id: document[ownMember].id, stored: documentToStored(type, document, this.#settings.fields) }
  }

  /** Null when the document has been hidden or spoilt since it was taken in, which the next sync will note. */
  #publicSkill(document: Document): Skill | null {
    const parsed = Skill.safeParse(documentToPublished('skills', document, this.#settings.fields))
    return parsed.success ? toPublicSkill(parsed.data) : null
  }
}
