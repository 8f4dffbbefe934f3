import type { StateStore } from './ports/catalog.js'
import type { IndexReplica } from './ports/search-index.js'

/** The names under which small documents are kept in the catalog store, see `StateStore`. */
export const stateKeys = {
  /** `Stats`: the catalog's statistics, as last computed. */
  stats: 'stats',
  /** `CountedValue[]`: the values with the most skills, as last counted, by a name of `countedFields`. */
  counted: (kind: string) => `index:${kind}`,
  /**
   * A sequence of the change log: the live index holds every change up to it. Written under the lock of `sync-index`; by
   * server, where there are several, see `ofReplica`.
   */
  syncPosition: 'position:sync-index',
  /** A sequence of the change log: skills that changed after it may lack vectors; nothing when none does. Also by server. */
  unembeddedSince: 'unembedded-since',
  /** The progress of a rebuild of the index; nothing when none is running or was interrupted. Also by server. */
  rebuild: 'rebuild',
  /** `ServiceState`: the service that runs on this catalog, or did last. */
  service: 'service',
  /** `{ loaded: boolean }`: whether the sample has been loaded whole; nothing for a catalog that never was to get it. */
  sample: 'sample',
  /** `MirrorState`: how far this catalog is a copy of another one; nothing when it is none. */
  mirror: 'mirror',
  /** `SitemapState`: how the sitemap is divided; nothing before the first time. */
  sitemap: 'sitemap',
  /** A sequence of the change log: the histories of stars hold every change up to it. */
  historyPosition: 'position:record-history',
  /** The day whose trends are stored, in days since 1970-01-01 (UTC). */
  trendsDay: 'trends-day',
  /** `CatalogDay[]`: the totals of the catalog by day, of the last year. */
  catalogHistory: 'catalog-history',
  /** `DatasetState`: the newest dataset; nothing before the first one. */
  dataset: 'dataset',
  /** Names of the jobs whose schedule is paused; nothing when none is. */
  pausedJobs: 'paused-jobs',
  /** `JobRecord`: how the last run of this job ended. */
  job: (name: string) => `job:${name}`,
  /** `RunningJob`: since when a long run of this job goes on, and when its process was last alive; nothing when none is. */
  jobRunningSince: (name: string) => `job-running-since:${name}`,
} as const

type Replica = Pick<IndexReplica, 'address'>

/** The name of a state that each server of the search index has; of the only one, it is the key itself. */
export const ofReplica = (key: string, { address }: Replica): string =>
  address === undefined ? key : `${key}:${address}`

/** The sequence up to which an index holds every change; null: not known. */
export const readSyncPosition = (state: Pick<StateStore, 'readState'>, replica: Replica): Promise<number | null> =>
  state.readState<number>(ofReplica(stateKeys.syncPosition, replica))

/** The sequence after which skills of an index may lack vectors; also as noted while it was the only server. */
export const readUnembeddedSince = async (
  state: Pick<StateStore, 'readState'>,
  replica: Replica,
): Promise<number | null> =>
  (await state.readState<number>(ofReplica(stateKeys.unembeddedSince, replica))) ??
  (await state.readState<number>(stateKeys.unembeddedSince))

/** How the sitemap is divided. */
export interface SitemapState {
  /** For each part the sequence of the change log after which it begins; it ends where the next one begins. */
  starts: number[]
}

/** The newest dataset. */
export interface DatasetState {
  snapshot: string
  /** Equal for equal records. */
  content: string
}

/** The service that runs on a catalog. */
export interface ServiceState {
  pid: number
  /** Where it answers; null until it does. */
  url: string | null
  /** ISO-8601. */
  startedAt: string
}

/** The job that reads the documents of other applications. All that writes rows but the trends of skills holds its lock. */
export const ingestName = 'ingest'

/** The job that query services request from the indexer. */
export const writeExportsName = 'write-exports'
