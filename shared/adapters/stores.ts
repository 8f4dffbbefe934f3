import type { Catalog } from '../ports/catalog.js'
import type { ChangeLog } from '../ports/change-log.js'
import type { DocumentIngest } from '../ports/document-ingest.js'
import type { Embedder } from '../ports/embedder.js'
import type { ExportStore } from '../ports/export-store.js'
import type { IndexReplicas, SearchIndex } from '../ports/search-index.js'
import type { Logger } from '../runtime/log.js'

/** The stores that both services stand on. */
export interface Stores {
  catalog: Catalog
  changes: ChangeLog
  /** Null where nobody else writes into the catalog's database: each write is logged together with the record. */
  ingest: DocumentIngest | null
  /** Searches. */
  index: SearchIndex
  /** The servers that hold the index, to which jobs write. */
  replicas: IndexReplicas
  exports: ExportStore
  /** The files that hold every record. */
  datasets: ExportStore
  /** An existing folder for temporary files, which may be as large as the catalog. */
  workFolder: string
  /** Null where skills are found by their words only. */
  embedder: Embedder | null
  /**
   * Calls for clients that the stores can work on at the same time: reads by key, lists and other reads of the catalog,
   * searches. More of them wait in the query service.
   */
  callsAtOnce: { byKey: number; lists: number; searches: number }
  /** Closes all of them, after the running calls. */
  close(): Promise<void>
}

export interface OpenOptions {
  /**
   * True for a service: queries and jobs run in worker threads, apart from the event loop. `command` for a command, which
   * has other work meanwhile: records are written in one thread, the index in another. False: all calls run in this
   * thread. Without a meaning for servers.
   */
  threads: boolean | 'command'
  /** Number of threads that answer queries, where `threads` is true. Default 2; 0: queries run in the thread of the jobs. */
  searchThreads?: number
  /**
   * Whether records or the index are written: only then missing collections, indexes, tables, files and folders are made.
   */
  writes: boolean
  /**
   * Whether a folder without a catalog gets an empty one, where `writes` is true; default true. Without a meaning for servers.
   */
  creates?: boolean
  /** Whether a new catalog in a folder is to get the sample, see `stateKeys.sample`; default false. Without a meaning for servers. */
  awaitsSample?: boolean
  /**
   * Whether they open while no server of the search index answers; default: where nothing is written. Without a meaning for
   * a folder.
   */
  withoutIndex?: boolean
  /**
   * Milliseconds for which servers that are not up yet are waited for, with a line in the log; infinity: as long as it
   * takes. A folder is there or not.
   */
  startTimeoutMs: number
  log: Logger
  /** Ends the waiting. */
  signal?: AbortSignal
}

/** What a server says about itself. */
interface ServerFacts {
  version: string
  /** Milliseconds that its clock is ahead of this machine's; negative: behind. Null: it does not report its time. */
  clockAheadMs: number | null
}

export interface MongodbFacts extends ServerFacts {
  /**
   * Whether it reports writes of other applications at once, which replica sets and sharded clusters do: `works`: a change
   * stream was opened; `standalone`: it has none; otherwise why opening one failed.
   */
  changeStreams: string
}

export interface MeilisearchFacts extends ServerFacts {
  /** Names of the settings of the live index that are not the expected ones; null: there is no live index. */
  differentSettings: string[] | null
}

export interface RedisFacts extends ServerFacts {
  /** `maxmemory-policy`. */
  evictionPolicy: string
}

/**
 * Looks at each server of a catalog.
 *
 * Each method throws an AppError with an operator's message when the server does not answer, or refuses access.
 */
export interface ServerInspection {
  mongodb(): Promise<MongodbFacts>
  /** Each server of `MEILI_URL`. */
  meilisearch: { address: string; inspect(): Promise<MeilisearchFacts> }[]
  /** The Redis of the jobs. */
  redis(): Promise<RedisFacts>
  /** The Redis of the limits, where it is another one; else null. */
  limitsRedis: (() => Promise<RedisFacts>) | null
  close(): Promise<void>
}
