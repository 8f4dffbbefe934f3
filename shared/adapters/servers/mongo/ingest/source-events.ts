import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type ChangeStream, type Db, type Document, MongoServerError } from 'mongodb'
import { recordTypes } from '../../../../records/records.js'
import { faultOfSource, keyOf } from '../rows.js'

/** How long the server waits for an event: for the reader of present events, and for the one that waits for news. */
const waitMs = { taking: 20, following: 20_000 }

/** The interval after which a stream is opened again that has ended, or that the server did not support. */
const reopenMs = 30_000

/** The pauses between reads while there is news, and the time between two pauses, in which a batch is read. */
const pauseMs = 100
const readMs = 20

/** MongoDB's errors: what follows a token is not kept any more, or it is of another server; the server is no replica set. */
const historyLost = new Set([286, 280, 260, 40_585])
const onlyOnReplicaSets = 40_573

/** The collections that are followed: of documents, and of texts, which an import keeps apart. */
const followed = [...recordTypes, 'skill_texts'] as const

/** The collection that an event is about, and the `_id` there. */
export interface SourceEvent {
  collection: (typeof followed)[number]
  id: unknown
}

/** The next events after a position. */
export interface TakenEvents {
  /** Without those that are left out. */
  events: SourceEvent[]
  /** The number of all of them. */
  count: number
  /** The position after them. */
  token: unknown
  /**
   * Whether all documents must be compared: events were lost, or a collection was dropped or replaced whole, of which no
   * event says which documents it had.
   */
  lost: boolean
}

/** The events that the server sends: which document was written, and not what. */
const pipeline: Document[] = [
  { $match: { 'ns.coll': { $in: [...followed] } } },
  { $project: { operationType: 1, ns: 1, documentKey: 1 } },
]

/** Opens the change stream of a database. @param after the position after which it begins; null: now */
export const openEvents = (db: Db, after: unknown, maxAwaitTimeMS: number): ChangeStream =>
  db.watch(pipeline, { maxAwaitTimeMS, ...(after === null ? {} : { resumeAfter: after }) })

const isHistoryLost = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  (historyLost.has(Number(error.code)) || error.hasErrorLabel('NonResumableChangeStreamError'))

/** Whether the server has no change streams at all. */
export const hasNoStreams = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === onlyOnReplicaSets

/**
 * The writes to the collections of documents, by MongoDB's change stream, which replica sets have. Each write is reported
 * once, also after an interruption: the caller says from which position it goes on.
 *
 * @see https://www.mongodb.com/docs/manual/changeStreams/
 */
export class SourceEvents {
  readonly #db: Db
  #stream: ChangeStream | null = null
  /** Read, and not yet taken; `event` null: it is about a whole collection; `added`: the name of a new document, see `nameOf`. */
  #kept: { event: SourceEvent | null; added: string | null; token: unknown }[] = []
  /** New documents whose events are left out, and not yet taken. */
  readonly #added = new Set<string>()
  /** The positions after the events that were taken: of two without an event between them, the caller may have stored either. */
  #takenTo: unknown[] = []
  /** When a stream that has failed is opened again, by the monotonic clock. */
  #reopenAtMs = Number.NEGATIVE_INFINITY
  /** The last call that reads the stream: the driver loses events where two read it at a time. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(db: Db) {
    this.#db = db
  }

  /** Whether events wait to be taken; null: the server reports none, or none were ever taken. */
  hasNew(): Promise<boolean | null> {
    return this.#inTurn(async () => {
      await this.#read(1)
      return this.#stream === null ? null : this.#kept.length > 0
    })
  }

  /**
   * The next events after a position; continues the open stream where that has been taken up to there.
   *
   * @param after null: from now on
   * @returns null while the server reports none
   */
  take(after: unknown, limit: number): Promise<TakenEvents | null> {
    return this.#inTurn(() => this.#takeAfter(after, limit))
  }

  async #takeAfter(after: unknown, limit: number): Promise<TakenEvents | null> {
    let lost = false
    const isContinued = this.#takenTo.some((known) => isDeepStrictEqual(after, known))
    if (this.#stream === null || after === null || !isContinued) {
      if (performance.now() < this.#reopenAtMs) {
        return null
      }
      lost = await this.#open(after)
    }
    await this.#read(limit)
    if (this.#stream === null) {
      return null
    }
    const taken = this.#kept.splice(0, limit)
    const token = taken.at(-1)?.token ?? this.#stream.resumeToken ?? null
    this.#takenTo = taken.length === 0 ? [after, token] : [token]
    // A document is added once; what others do with it afterwards has events of its own.
    const events = taken.flatMap(({ event, added }) =>
      added !== null && this.#added.delete(added) ? [] : (event ?? []),
    )
    const isOfAll = taken.some(({ event }) => event === null)
    return { events, count: taken.length, token, lost: lost || isOfAll }
  }

  /** Leaves out the events of what this process has just added, and whose rows it has written. */
  leaveOut(added: SourceEvent[]): void {
    if (this.#stream !== null) {
      for (const { collection, id } of added) {
        this.#added.add(nameOf(collection, id))
      }
    }
  }

  async close(): Promise<void> {
    const stream = this.#stream
    this.#stream = null
    this.#kept = []
    this.#added.clear()
    await stream?.close().catch(() => undefined)
  }

  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const own = this.#reading.then(read, read)
    this.#reading = own
    return own
  }

  /** @param after null: none is known @returns whether events before the stream's begin are lost: then it begins now */
  async #open(after: unknown): Promise<boolean> {
    await this.close()
    this.#stream = openEvents(this.#db, after, waitMs.taking)
    this.#takenTo = [after]
    try {
      this.#keep(await this.#stream.tryNext())
      return after === null
    } catch (error) {
      if (after !== null && isHistoryLost(error)) {
        return await this.#open(null)
      }
      await this.#fail(error)
      return false
    }
  }

  /** Reads the events that are there, up to so many that are not taken. */
  async #read(limit: number): Promise<void> {
    const stream = this.#stream
    try {
      while (stream !== null && this.#kept.length < limit) {
        const found = await stream.tryNext()
        if (found === null) {
          return
        }
        this.#keep(found)
      }
    } catch (error) {
      await this.#fail(error)
    }
  }

  #keep(found: Document | null): void {
    const { ns, documentKey, operationType, _id: token } = found ?? {}
    const collection = followed.find((name) => name === ns?.coll)
    if (collection !== undefined) {
      const isOne = documentKey !== undefined && operationType !== 'drop'
      const event = isOne ? { collection, id: documentKey._id } : null
      const isNew = operationType === 'insert' && documentKey !== undefined && faultOfSource(documentKey._id) === null
      this.#kept.push({ event, added: isNew ? nameOf(collection, documentKey._id) : null, token })
    }
  }

  /** Documents are compared until the stream can be opened again. @throws errors that are not of the stream */
  async #fail(error: unknown): Promise<void> {
    await this.close()
    if (!(error instanceof MongoServerError)) {
      throw error
    }
    this.#reopenAtMs = performance.now() + reopenMs
  }
}

const nameOf = (collection: string, id: unknown): string => `${collection} ${keyOf(id)}`

/**
 * Calls `onChange` soon after documents were written, by a stream of its own that only waits; while there is none, at an
 * interval. Calls may be lost: what was written is read by `SourceEvents`.
 *
 * @param onState called with the error each time that the stream fails, and with null when it is open
 * @param lookMs the interval
 * @returns a function that ends this
 */
export function followEvents(
  db: Db,
  onChange: () => void,
  onState: (error: unknown) => void,
  lookMs: number,
): () => Promise<void> {
  const end = new AbortController()
  let stream: ChangeStream | null = null
  const watching = (async () => {
    while (!end.signal.aborted) {
      stream = openEvents(db, null, waitMs.following)
      stream.once('resumeTokenChanged', () => {
        onState(null)
        // For what was written before it was open.
        onChange()
      })
      try {
        let pauseAtMs = 0
        for await (const _event of stream) {
          onChange()
          if (performance.now() > pauseAtMs) {
            await sleep(pauseMs, undefined, { ref: false })
            pauseAtMs = performance.now() + readMs
          }
        }
      } catch (error) {
        if (!end.signal.aborted) {
          onState(error)
        }
      }
      await stream.close().catch(() => undefined)
      const reopenAtMs = performance.now() + reopenMs
      while (!end.signal.aborted && performance.now() < reopenAtMs) {
        onChange()
        await sleep(lookMs, undefined, { ref: false, signal: end.signal }).catch(() => undefined)
      }
    }
  })()
  return async () => {
    end.abort()
    await stream?.close()
    await watching
  }
}
