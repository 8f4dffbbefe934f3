import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentComparison, DocumentIngest, Ingested } from '../../../../ports/document-ingest.js'
import { comparedFields } from '../../../../ports/filter-table.js'
import type { Lock } from '../../../../ports/locks.js'
import { type RecordType, readLetterId, recordTypes } from '../../../../records/records.js'
import type { IngestPosition } from '../change-log/row-writer.js'
import { serverTime, translated } from '../connection.js'
import { rowsOf } from '../rows.js'
import { adoptOldLog } from './adopt-old-log.js'
import { type Comparison, compareAll, RecentWrites } from './comparison.js'
import { add, DocumentBatches, type IngestOptions, type SourceDocuments } from './document-batches.js'
import { followEvents, type SourceEvent, SourceEvents } from './source-events.js'

/** The number of events that are taken at a time. */
const eventsPerBatch = 5_000

/** The interval of steps of the comparison on a server without change streams. */
const compareEveryMs = 10_000

/** After this time the event of a write has arrived. */
const eventsWithinMs = 1_000

/** The keys of rows: a filter or order by another field adds one, which is read from all documents. */
const keyNames = String(comparedFields().map(({ field }) => field))

/** How often a position is stored that has moved without a change. */
const keepIdleEveryMs = 60_000

/**
 * Follows the documents that crawlers and imports write: reads each that was written, and writes its row where that
 * differs. Reading a document once more changes nothing, so that a process which stops anywhere loses nothing: the next one
 * continues from the position of the last batch.
 */
export class MongoIngest implements DocumentIngest {
  readonly #options: IngestOptions
  readonly #documents: DocumentBatches
  readonly #events: SourceEvents
  readonly #recent: RecentWrites
  #hasAdopted = false
  #comparison: Comparison | null = null
  #comparedAtMs = Number.NEGATIVE_INFINITY
  #lookedAtMs: number | null = null
  #keptAtMs = Number.NEGATIVE_INFINITY

  constructor(options: IngestOptions) {
    const { db, settings } = options
    this.#options = options
    this.#documents = new DocumentBatches(options)
    this.#events = new SourceEvents(db)
    this.#recent = new RecentWrites(db, settings.changedField)
  }

  hasNew(): Promise<boolean> {
    return translated(async () => {
      const hasEvents = await this.#events.hasNew()
      if (hasEvents !== null) {
        return hasEvents
      }
      const nowMs = (await serverTime(this.#options.db)).getTime()
      return (
        this.#lookedAtMs === null ||
        this.#isCompareDue() ||
        (await this.#recent.find(this.#lookedAtMs, nowMs, false)).length > 0
      )
    })
  }

  ingest(lock: Lock, signal?: AbortSignal): Promise<Ingested & { more: boolean }> {
    return translated(async () => {
      await this.#adopt()
      const { position } = await this.#options.rows.head()
      const atMs = (await serverTime(this.#options.db)).getTime()
      const taken = await this.#events.take(position?.token ?? null, eventsPerBatch)
      const mustCompare = position?.keys !== keyNames || position.mustCompare || taken?.lost === true
      const next = {
        token: taken === null ? (position?.token ?? null) : taken.token,
        mustCompare,
        atMs,
        keys: keyNames,
      }
      const written =
        taken === null
          ? await this.#recent.find(position?.atMs ?? atMs, atMs, true)
          : await this.#sourcesOf(taken.events)
      this.#lookedAtMs = atMs
      const ingested: Ingested = { logged: [], rejected: [] }
      for (const documents of written) {
        signal?.throwIfAborted()
        add(ingested, await this.#documents.ingest(documents, lock, signal))
      }
      const isIdle = written.length === 0 && !taken?.count && position !== null
      if (!isIdle || mustCompare !== position.mustCompare || performance.now() - this.#keptAtMs > keepIdleEveryMs) {
        await this.#keep(next, lock)
      }
      let more = taken?.count === eventsPerBatch
      if (mustCompare) {
        more = !(await this.#compareStep(ingested, lock, { ...next, mustCompare: false })) || more
      } else if (taken === null && this.#isCompareDue()) {
        await this.#compareStep(ingested, lock, null)
      }
      return { ...ingested, more }
    }).catch(async (error: unknown) => {
      // What was found and not read is found again.
      await this.#endComparison()
      this.#recent.forget()
      throw error
    })
  }

  compare(): DocumentComparison {
    let comparison: Comparison | null = null
    return {
      step: (lock) =>
        translated(async () => {
          comparison ??= await this.#beginComparison(lock)
          const { value: step, done } = await comparison.next()
          if (done) {
            return null
          }
          const differing = await this.#documents.differing(step)
          if (differing === null) {
            return { logged: [], rejected: [] }
          }
          // What was written just now is no difference: its event comes.
          await sleep(eventsWithinMs)
          while ((await this.ingest(lock)).more) {
            // Until there is no event left.
          }
          return this.#documents.ingest(differing, lock)
        }),
      close: async () => void (await comparison?.return()),
    }
  }

  ingestLetters(ids: string[], lock: Lock): Promise<Ingested> {
    return translated(async () => {
      const letters = await this.#options.letters.ofDocuments(ids, [])
      const ingested: Ingested = { logged: [], rejected: [] }
      for (const type of recordTypes) {
        const own = letters.filter(({ id }) => readLetterId(id).type === type)
        const named = own.filter(({ document }) => document === undefined).map(({ id }) => readLetterId(id).id)
        const rows = await rowsOf(this.#options.db, type)
          .find({ _id: { $in: named } })
          .toArray()
        const sources = [...own.map(({ document }) => document), ...rows.map(({ source }) => source)]
        const known = sources.filter((source) => source !== undefined && source !== null)
        add(ingested, await this.#documents.ingest({ type, sources: known }, lock))
      }
      // The letters whose document is gone.
      const left = new Set(letters.filter(({ document }) => document === undefined).map(({ id }) => id))
      const still = await this.#options.letters.ofDocuments([...left], [])
      const orphans = still.filter(({ document }) => document === undefined).map(({ id }) => id)
      await this.#options.letters.dropDeadLetters(orphans, 'document', lock)
      const kept = await this.#options.letters.ofDocuments(ids, [])
      return { ...ingested, rejected: kept.map(({ id, reason }) => ({ id, reason })) }
    })
  }

  /**
   * Ingests documents that may have been written just now.
   *
   * @param sources their `_id`s
   * @param added those that this process has just added, whose events need not be read
   */
  async ingestSources(type: RecordType, sources: unknown[], lock: Lock, added: unknown[] = []): Promise<void> {
    await this.#documents.ingest({ type, sources }, lock)
    // Only now: the events of documents that are not ingested lead to them.
    this.#events.leaveOut(type, added)
  }

  watch(onChange: () => void, onState: (error: unknown) => void): () => Promise<void> {
    return followEvents(this.#options.db, onChange, onState)
  }

  async close(): Promise<void> {
    await this.#events.close()
    await this.#endComparison()
  }

  async #adopt(): Promise<void> {
    if (!this.#hasAdopted) {
      await adoptOldLog(this.#options.db)
      this.#hasAdopted = true
    }
  }

  /** Stores up to where documents were read; under an epoch that rejects earlier holders of the lock. */
  async #keep(position: IngestPosition, { epoch }: Lock, complete = false): Promise<void> {
    const { rows } = this.#options
    const at = new Date(position.atMs)
    await rows.append({ onto: await rows.head(), type: 'skills', rows: [], at, epoch, position, complete })
    this.#keptAtMs = performance.now()
  }

  /** One step of the comparison. @param position to be stored at its end; null: none @returns whether it has ended */
  async #compareStep(ingested: Ingested, lock: Lock, position: IngestPosition | null): Promise<boolean> {
    this.#comparedAtMs = performance.now()
    this.#comparison ??= await this.#beginComparison(lock)
    const { value: step, done } = await this.#comparison.next()
    if (!done) {
      add(ingested, await this.#documents.ingest(step, lock))
      return false
    }
    await this.#endComparison()
    if (position !== null) {
      await this.#keep(position, lock, true)
    }
    return true
  }

  async #beginComparison(lock: Lock): Promise<Comparison> {
    await this.#adopt()
    await this.#options.letters.dropUnreadable(lock)
    return compareAll(this.#options.db, this.#options.letters)
  }

  async #endComparison(): Promise<void> {
    await this.#comparison?.return().catch(() => undefined)
    this.#comparison = null
  }

  #isCompareDue(): boolean {
    return performance.now() - this.#comparedAtMs >= compareEveryMs
  }

  /** The documents that events are about, by type; those of skills whose texts were written as well. */
  async #sourcesOf(events: SourceEvent[]): Promise<SourceDocuments[]> {
    const texts = events.flatMap(({ collection, id }) => (collection === 'skill_texts' ? [String(id)] : []))
    const rows =
      texts.length === 0
        ? []
        : await rowsOf(this.#options.db, 'skills')
            .find({ _id: { $in: texts } }, { projection: { source: 1 } })
            .toArray()
    return recordTypes.flatMap((type) => {
      const written = events.flatMap(({ collection, id }) => (collection === type ? [id] : []))
      const sources = [...written, ...(type === 'skills' ? rows.flatMap(({ source }) => source ?? []) : [])]
      return sources.length === 0 ? [] : [{ type, sources }]
    })
  }
}
