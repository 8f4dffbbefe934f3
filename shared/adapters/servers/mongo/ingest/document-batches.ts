import type { Db, Document, Filter } from 'mongodb'
import type { Ingested } from '../../../../ports/document-ingest.js'
import type { Lock } from '../../../../ports/locks.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { letterId, type RecordType } from '../../../../records/records.js'
import { readDocuments } from '../catalog/document.js'
import type { MongoDeadLetters } from '../catalog/job-data.js'
import type { MongoSkillTexts } from '../catalog/skill-texts.js'
import type { RowBatch, RowDraft, RowWriter } from '../change-log/row-writer.js'
import { serverTime } from '../connection.js'
import { documentsOf, faultOfSource, keyOf, type Row, rowsOf } from '../rows.js'
import { claimIds, draftRows, duplicateMark, type ReadSource, type RejectedSource, readSource } from './plan-rows.js'

/** Documents that are read and logged at a time; `long`: where they may have long texts. */
const documentsPerBatch = { long: 100, short: 1_000 }

/** The approximate size of the rows that are written at a time: MongoDB has room for 16 MB in a document. */
const bytesPerBatch = 6_000_000

/** The dependencies of the ingest. */
export interface IngestOptions {
  db: Db
  settings: DocumentSettings
  rows: RowWriter
  texts: MongoSkillTexts
  letters: MongoDeadLetters
}

/** Documents that may differ from their rows. */
export interface SourceDocuments {
  type: RecordType
  /** Their `_id`s; of a deleted one the row goes. */
  sources: unknown[]
  /** Ids of rows without a document. */
  lost?: string[]
}

/** Documents that were read, and those of them that are rejected. */
interface Letters {
  /** The `_id`s of all that were asked for. */
  asked: unknown[]
  read: ReadSource[]
  rejected: RejectedSource[]
  now: Date
}

/** Reads documents, and writes the rows and dead letters that follow. */
export class DocumentBatches {
  readonly #options: IngestOptions

  constructor(options: IngestOptions) {
    this.#options = options
  }

  /**
   * Ingests documents, and then those that waited for the ids of deleted ones.
   *
   * @param signal stops it between two batches
   */
  async ingest(
    { type, sources: found, lost = [] }: SourceDocuments,
    lock: Lock,
    signal?: AbortSignal,
  ): Promise<Ingested> {
    const ingested: Ingested = { logged: [], rejected: [] }
    const atOnce = this.#documentsAtOnce(type)
    const readable = found.filter((source) => faultOfSource(source) === null)
    const sources = [...new Map(readable.map((source) => [keyOf(source), source])).values()]
    if (readable.length < found.length) {
      const rejected = found.flatMap((source) => {
        const reason = faultOfSource(source)
        return reason === null ? [] : [{ id: letterId(type, shortened(source)), reason, source: null }]
      })
      const letters = { asked: [], read: [], rejected, now: await serverTime(this.#options.db) }
      ingested.rejected.push(...(await this.#updateLetters(type, letters, lock)))
    }
    for (let start = 0; start < sources.length || (start === 0 && lost.length > 0); start += atOnce) {
      signal?.throwIfAborted()
      const batch = sources.slice(start, start + atOnce)
      const { freed, ...outcome } = await this.#ingestBatch(type, batch, start === 0 ? lost : [], lock)
      add(ingested, outcome)
      if (freed.length > 0) {
        const ids = freed.map((id) => letterId(type, id))
        const waiting = await this.#options.letters.waitingFor(ids, duplicateMark)
        const heirs = waiting.flatMap(({ document }) => document ?? [])
        add(ingested, await this.ingest({ type, sources: heirs }, lock, signal))
      }
    }
    return ingested
  }

  #documentsAtOnce(type: RecordType): number {
    const { skillMd } = this.#options.settings.fields.skills
    return type === 'prompts' || (type === 'skills' && skillMd.length > 0)
      ? documentsPerBatch.long
      : documentsPerBatch.short
  }

  /** Those of these documents, at most 1,000, for which `ingest` would write something; null: there are none. */
  async differing({ type, sources: found, lost = [] }: SourceDocuments): Promise<SourceDocuments | null> {
    const readable = found.filter((source) => faultOfSource(source) === null)
    const { drafts, ...plan } = await this.#plan(type, readable, lost)
    const { changed, over } = await this.#lettersOf(type, plan)
    const written = new Set(drafts.map(({ row }) => row._id))
    const sources = [
      ...found.filter((source) => faultOfSource(source) !== null),
      ...plan.rows.flatMap(({ _id, source }) => (written.has(_id) ? (source ?? []) : [])),
      ...drafts.flatMap(({ row }) => row.source ?? []),
      ...changed.map(({ source }) => source),
      ...over.flatMap(({ document }) => document ?? []),
    ]
    const gone = lost.filter((id) => written.has(id))
    return sources.length + gone.length === 0 ? null : { type, sources, lost: gone }
  }

  /** @returns `freed`: ids whose document is gone */
  async #ingestBatch(type: RecordType, sources: unknown[], lost: string[], lock: Lock) {
    const { rows: writer, texts } = this.#options
    let onto: RowBatch['onto'] = await writer.head()
    const plan = await this.#plan(type, sources, lost)
    const { drafts, rows, freed, stale, now } = plan
    // Also without rows: an earlier holder of the lock may have read other content, and must not write it any more.
    for (const batch of inBatches(drafts)) {
      onto = await writer.append({ onto, type, rows: batch, at: now, epoch: lock.epoch })
    }
    const logged = drafts.filter((draft) => draft.logged).map(({ row }) => row)
    const gone = drafts.filter(({ row }) => type === 'skills' && row.state === 'gone')
    await texts.drop(
      gone.map(({ row }) => row._id),
      stale,
    )
    const wasListed = new Map(rows.map(({ _id, contentHash }) => [_id, typeof contentHash === 'string']))
    return {
      logged: logged.map(({ _id, contentHash = null }) => ({
        id: _id,
        contentHash,
        isNew: wasListed.get(_id) !== true,
      })),
      rejected: await this.#updateLetters(type, plan, lock),
      freed,
    }
  }

  /** Reads documents, and says what is to be written. */
  async #plan(type: RecordType, sources: unknown[], lost: string[]) {
    const { db, texts } = this.#options
    const now = await serverTime(db)
    const { read, rows, asked } = await this.#readWithHolders(type, sources, lost)
    const { claims, rejected } = claimIds(type, read, rows)
    const claiming = type === 'skills' ? [...claims.values()] : []
    const { digests, stale } = await texts.keepOfDocuments(claiming)
    return { ...draftRows(type, claims, rows, digests, now), stale, rows, read, asked, rejected, now }
  }

  /** Documents with their rows, and with the documents and rows of ids that they say to have. */
  async #readWithHolders(type: RecordType, sources: unknown[], lost: string[]) {
    const { db, settings } = this.#options
    const batchSize = this.#documentsAtOnce(type)
    const asked = new Map(sources.map((source) => [keyOf(source), source]))
    const read = new Map<string, ReadSource>()
    const rows = new Map<string, Row>()
    const readRows = async (filter: Filter<Row>) => {
      for await (const row of rowsOf(db, type).find(filter, { projection: { record: 0 } })) {
        rows.set(row._id, row)
      }
    }
    for (let missing = sources; missing.length > 0; ) {
      const ofMissing: Document = { _id: { $in: missing } }
      for await (const document of readDocuments(documentsOf(db, type), ofMissing, { batchSize })) {
        read.set(keyOf(document['_id']), readSource(type, document, settings))
      }
      await readRows({ source: { $in: missing } })
      const ids = [...read.values()].flatMap(({ id }) => (id === null || rows.has(id) ? [] : [id]))
      await readRows({ _id: { $in: ids } })
      const known = [...rows.values()].flatMap(({ source }) => (source === undefined ? [] : [source]))
      missing = known.filter((source) => !asked.has(keyOf(source)))
      for (const source of missing) {
        asked.set(keyOf(source), source)
      }
    }
    if (lost.length > 0) {
      await readRows({ _id: { $in: lost } })
    }
    return { read: [...read.values()], rows: [...rows.values()], asked: [...asked.values()] }
  }

  /** The letters to keep of these documents, and those that are over. */
  async #lettersOf(type: RecordType, { asked, read, rejected }: Letters) {
    const ids = read.flatMap(({ id }) => (id === null ? [] : [letterId(type, id)]))
    const kept = await this.#options.letters.ofDocuments(ids, asked)
    const known = new Map(kept.map(({ id, reason }) => [id, reason]))
    const current = new Set(rejected.map(({ id }) => id))
    return {
      changed: rejected.filter(({ id, reason }) => known.get(id) !== reason),
      over: kept.filter(({ id }) => !current.has(id)),
    }
  }

  /** Keeps the dead letters of these documents, and drops those that are over. @returns those with a new reason */
  async #updateLetters(type: RecordType, letters: Letters, lock: Lock): Promise<Ingested['rejected']> {
    const { changed, over } = await this.#lettersOf(type, letters)
    const since = letters.now.toISOString()
    await this.#options.letters.keepDeadLetters(
      changed.map(({ id, reason, source }) => ({ id, reason, since, source: 'document' as const, document: source })),
      lock,
    )
    await this.#options.letters.dropDeadLetters(
      over.map(({ id }) => id),
      'document',
      lock,
    )
    return changed.map(({ id, reason }) => ({ id, reason }))
  }
}

/** An `_id` that no row has room for, as far as an operator needs it to find the document. */
const shortened = (source: unknown): string =>
  (typeof source === 'string' ? source : JSON.stringify(source)).slice(0, 200)

/** Divides rows into batches that MongoDB has room for; an empty one where there are none. */
function inBatches(drafts: RowDraft[]): RowDraft[][] {
  const batches: RowDraft[][] = [[]]
  let bytes = 0
  for (const draft of drafts) {
    const size = 1_000 + Buffer.byteLength(draft.row.record ?? '')
    if (bytes + size > bytesPerBatch && bytes > 0) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(draft)
    bytes += size
  }
  return batches
}

/** Adds the outcome of one step to those before. */
export function add(all: Ingested, { logged, rejected }: Ingested): void {
  all.logged.push(...logged)
  all.rejected.push(...rejected)
}
