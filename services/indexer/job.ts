import type { Logger } from '../../shared/log.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'
import type { CrashPoint } from './crash-points.js'

/** Tells how far a run has come, for whoever watches it. */
interface Progress {
  /** `count` more records are done; `of` is how many there are in all, when that is known. */
  add(count: number, of?: number): void
}

/** Something that an operator should hear of, about one record. */
export interface Finding {
  id: string
  /**
   * `rejected`: what is stored cannot be published. Of the index compared with the catalog, `missing`: not in the
   * index; `extra`: in the index only; `different`: in both, with other content.
   */
  kind: 'rejected' | 'missing' | 'extra' | 'different'
  /** Why it was rejected; null for a difference. */
  reason: string | null
}

/** What a run is given. */
export interface JobContext {
  catalog: CatalogStore
  index: SearchIndex
  exports: ExportStore
  changes: ChangeLog
  /** For how many days removals are told to those who follow the changes. */
  changesKeptDays: number
  log: Logger
  /** Asks the run to stop between two steps; what is done stays done. */
  signal: AbortSignal
  clock: () => Date
  progress: Progress
  /** Hears every finding as it is made. */
  report: (finding: Finding) => void
  /** Hears which crash point has been reached; given by tests only. */
  reached?: ((point: CrashPoint) => void) | undefined
}

/**
 * What a run did, in figures and words: kept as the run's result and printed by the command line. `waitingFor` names a
 * job that has to run first: the run did nothing, and is done again when that job has succeeded.
 */
export type JobResult = Record<string, number | string | boolean | null>

/** The job that has to run before this one can; null when the run did what it is for. */
export const waitsFor = ({ waitingFor }: Record<string, unknown>): string | null =>
  typeof waitingFor === 'string' ? waitingFor : null

/** Whether a run found nothing to do. */
export const didNothing = (result: JobResult): boolean =>
  Object.values(result).every((value) => value === 0 || value === false || value === null)

/** A job: its name, when it runs by itself, and what it does. Running it twice is harmless. */
export interface Job {
  /** Also its name on the command line, in the log, and of the lock that keeps it to one run at a time. */
  name: string
  summary: string
  /** Seconds from one run to the next; null: only by hand. */
  everySeconds: number | null
  run(context: JobContext): Promise<JobResult>
  /** Names of the jobs that are to run once more when a run has ended with this result; absent: none. */
  followedBy?: (result: JobResult) => string[]
}
