import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Document } from 'mongodb'
import type { DocumentIngest, Ingested } from '../../../../ports/document-ingest.js'
import { comparedFields } from '../../../../ports/filter-table.js'
import type { Lock } from '../../../../ports/locks.js'
import { type RecordType, readLetterId, recordTypes } from '../../../../records/records.js'
import type { IngestPosition } from '../change-log/row-writer.js'
import { serverTime, translated, withTranslatedErrors } from '../connection.js'
import { inBatches, type Row, rowsOf } from '../rows.js'
import { type Comparison, compareAll, RecentWrites } from './comparison.js'
import { add, DocumentBatches, type IngestOptions, type SourceDocuments } from './document-batches.js'
import { followEvents, type SourceEvent, SourceEvents } from './source-events.js'

const eventsPerBatch = 5_000

/** The interval of steps of the comparison on a server without change streams. */
const compareEveryMs = 10_000

/** After this time the event of a write has arrived. */
const eventsWithinMs = 1_000

/** The keys of rows: a filter or order by another field adds one, which is read from all documents. */
const keyNames = String(comparedFields().map(({ field }) => field))

/** How often a position is stored that has moved without a change. */
const keepIdleEveryMs = 60_000

/** Ingests documents; also those that the catalog writes itself. */
export interface MongoIngest extends DocumentIngest {
  /**
   * Ingests documents that may have been written just now.
   *
   * @param sources their `_id`s
   * @param added what this process has just added, whose events need not be read
   */
  ingestSources(type: RecordType, sources: unknown[], lock: Lock, added?: SourceEvent[]): Promise<void>
  /** The `_id`s of the documents of rows. */
  sourcesOfRows(type: RecordType, ids: string[]): Promise<unknown[]>
  close(): Promise<void>
}

/**
 * Follows the documents that crawlers and imports write: reads each that was written, and writes its row where that
 * differs. Reading a document once more changes nothing, so that a process which stops anywhere loses nothing: the next one
 * continues from the position of the last batch.
 */
export function documentIngest(options: IngestOptions): MongoIngest {
  const { db, settings, rows, letters } = options
  const documents = new DocumentBatches(options)
  const events = new SourceEvents(db)
  const recent = new RecentWrites(db, settings.changedField)
  let hasAdopted = false
  let comparison: Comparison | null = null
  let comparedAtMs = Number.NEGATIVE_INFINITY
  let lookedAtMs: number | null = null
  let keptAtMs = Number.NEGATIVE_INFINITY

  async function ingest(lock: Lock, signal?: AbortSignal): Promise<Ingested & { more: boolean }> {
    try {
      return await ingestNext(lock, signal)
    } catch (error) {
      // What was found and not read is found again.
      await endComparison()
      recent.forget()
      throw error
    }
  }

  async function ingestNext(lock: Lock, signal?: AbortSignal): Promise<Ingested & { more: boolean }> {
    await adopt()
    const { position } = await rows.head()
    const atMs = (await serverTime(db)).getTime()
    const taken = await events.take(position?.token ?? null, eventsPerBatch)
    const mustCompare = position?.keys !== keyNames || position.mustCompare || taken?.lost === true
    const token = taken === null ? (position?.token ?? null) : taken.token
    const next = { token, mustCompare, atMs, keys: keyNames }
    const written =
      taken === null ? await recent.find(position?.atMs ?? atMs, atMs, true) : await sourcesOf(taken.events)
    lookedAtMs = atMs
    const ingested: Ingested = { logged: [], rejected: [] }
    for (const found of written) {
      signal?.throwIfAborted()
      add(ingested, await documents.ingest(found, lock, signal))
    }
    const isIdle = written.length === 0 && !taken?.count && position !== null
    if (!isIdle || mustCompare !== position.mustCompare || performance.now() - keptAtMs > keepIdleEveryMs) {
      await keep(next, lock)
    }
    let more = taken?.count === eventsPerBatch
    if (mustCompare) {
      more = !(await compareStep(ingested, lock, { ...next, mustCompare: false })) || more
    } else if (taken === null && isCompareDue()) {
      await compareStep(ingested, lock, null)
    }
    return { ...ingested, more }
  }

  /** Stores up to where documents were read; under an epoch that rejects earlier holders of the lock. */
  async function keep(position: IngestPosition, { epoch }: Lock, complete = false): Promise<void> {
    const at = new Date(position.atMs)
    await rows.append({ onto: await rows.head(), type: 'skills', rows: [], at, epoch, position, complete })
    keptAtMs = performance.now()
  }

  async function adopt(): Promise<void> {
    if (!hasAdopted) {
      await adoptOldLog(db)
      hasAdopted = true
    }
  }

  /** One step of the comparison. @param position to be stored at its end; null: none @returns whether it has ended */
  async function compareStep(ingested: Ingested, lock: Lock, position: IngestPosition | null): Promise<boolean> {
    comparedAtMs = performance.now()
    comparison ??= await beginComparison(lock)
    const { value: step, done } = await comparison.next()
    if (!done) {
      add(ingested, await documents.ingest(step, lock))
      return false
    }
    await endComparison()
    if (position !== null) {
      await keep(position, lock, true)
    }
    return true
  }

  async function beginComparison(lock: Lock): Promise<Comparison> {
    await adopt()
    await letters.dropUnreadable(lock)
    return compareAll(db, letters)
  }

  async function endComparison(): Promise<void> {
    await comparison?.return().catch(() => undefined)
    comparison = null
  }

  const isCompareDue = (): boolean => performance.now() - comparedAtMs >= compareEveryMs

  /** The documents that events are about, by type; those of skills whose texts were written as well. */
  async function sourcesOf(found: SourceEvent[]): Promise<SourceDocuments[]> {
    const texts = found.flatMap(({ collection, id }) => (collection === 'skill_texts' ? [String(id)] : []))
    const ofTexts = await sourcesOfRows('skills', texts)
    return recordTypes.flatMap((type) => {
      const written = found.flatMap(({ collection, id }) => (collection === type ? [id] : []))
      const sources = [...written, ...(type === 'skills' ? ofTexts : [])]
      return sources.length === 0 ? [] : [{ type, sources }]
    })
  }

  async function sourcesOfRows(type: RecordType, ids: string[]): Promise<unknown[]> {
    if (ids.length === 0) {
      return []
    }
    const found = rowsOf(db, type).find({ _id: { $in: ids } }, { projection: { source: 1 } })
    return (await found.toArray()).flatMap(({ source }) => source ?? [])
  }

  return {
    ...withTranslatedErrors({
      ingest,

      async hasNew() {
        const hasEvents = await events.hasNew()
        if (hasEvents !== null) {
          return hasEvents
        }
        const nowMs = (await serverTime(db)).getTime()
        return lookedAtMs === null || isCompareDue() || (await recent.find(lookedAtMs, nowMs, false)).length > 0
      },

      async ingestLetters(ids: string[], lock: Lock) {
        const kept = await letters.ofDocuments(ids, [])
        const ingested: Ingested = { logged: [], rejected: [] }
        for (const type of recordTypes) {
          const own = kept.filter(({ id }) => readLetterId(id).type === type)
          const named = own.filter(({ document }) => document === undefined).map(({ id }) => readLetterId(id).id)
          const sources = [...own.flatMap(({ document }) => document ?? []), ...(await sourcesOfRows(type, named))]
          add(ingested, await documents.ingest({ type, sources }, lock))
        }
        // The letters whose document is gone.
        const without = kept.filter(({ document }) => document === undefined).map(({ id }) => id)
        const still = await letters.ofDocuments(without, [])
        const orphans = still.filter(({ document }) => document === undefined).map(({ id }) => id)
        await letters.dropDeadLetters(orphans, 'document', lock)
        const rejected = await letters.ofDocuments(ids, [])
        return { ...ingested, rejected: rejected.map(({ id, reason }) => ({ id, reason })) }
      },

      async ingestSources(type: RecordType, sources: unknown[], lock: Lock, added: SourceEvent[] = []) {
        await documents.ingest({ type, sources }, lock)
        // Only now: the events of documents that are not ingested lead to them.
        events.leaveOut(added)
      },

      sourcesOfRows,
    }),

    compare() {
      let compared: Comparison | null = null
      return {
        step: (lock) =>
          translated(async () => {
            compared ??= await beginComparison(lock)
            const { value: step, done } = await compared.next()
            if (done) {
              return null
            }
            const differing = await documents.differing(step)
            if (differing === null) {
              return { logged: [], rejected: [] }
            }
            // What was written just now is no difference: its event comes.
            await sleep(eventsWithinMs)
            while ((await ingest(lock)).more) {
              // Until there is no event left.
            }
            return documents.ingest(differing, lock)
          }),
        close: async () => void (await compared?.return()),
      }
    },

    watch: (onChange, onState, lookMs) => followEvents(db, onChange, onState, lookMs),

    async close() {
      await events.close()
      await endComparison()
    },
  }
}

const entriesAtOnce = 1_000

/** An entry of the log in its own collection, as earlier versions kept it. */
interface OldEntry extends Pick<Row, '_id' | 'sequence' | 'contentHash' | 'changedAt'> {
  removedAt?: string
}

/**
 * Continues the change log of the version that kept it in a collection of its own, and each document's metadata in the
 * document: every entry becomes a row, without what is made of its document. The comparison that follows adds that, and
 * changes no sequence where the content is the same. Does nothing a second time.
 */
export async function adoptOldLog(db: Db): Promise<void> {
  const heads = db.collection<Document & { _id: string }>('change_log')
  const head = await heads.findOne({ _id: 'head', version: { $exists: false } })
  if (head === null) {
    return
  }
  const pending: OldEntry[] = head['pending'] ?? []
  await putEntries(db, pending)
  const settled = db.collection<OldEntry>('changes').find({ sequence: { $lte: head['settled'] ?? 0 } })
  for await (const entries of inBatches(settled, entriesAtOnce)) {
    await putEntries(db, entries)
  }
  // Readers of the log go on; an index is not built of it before all rows are made.
  const adopted = { version: 0, settled: head['sequence'], pending: [], complete: false }
  await heads.updateOne({ _id: 'head', version: { $exists: false } }, { $set: adopted })
}

async function putEntries(db: Db, entries: OldEntry[]): Promise<void> {
  const writes = entries.map(({ _id, removedAt, sequence, contentHash, changedAt }) => {
    const logged = { sequence, contentHash, changedAt, ...(removedAt === undefined ? {} : { unlistedAt: removedAt }) }
    const row = { state: 'gone', made: '', version: 0, ...logged } as Partial<Row>
    return { updateOne: { filter: { _id }, update: { $setOnInsert: row }, upsert: true } }
  })
  await (writes.length > 0 && rowsOf(db, 'skills').bulkWrite(writes, { ordered: false }))
}
