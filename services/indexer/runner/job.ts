import type { Stores } from '../../../shared/adapters/stores.js'
import type { Lock } from '../../../shared/ports/locks.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import type { Logger } from '../../../shared/runtime/log.js'
import type { ManifestSigner } from '../signing/minisign.js'

/** Receives the progress of a run. */
interface Progress {
  /** `count` more records are done, of the total `of` where that is known. */
  add(count: number, of?: number): void
}

/** A finding of a run about one record, for the operator. */
interface Finding {
  id: string
  /**
   * `rejected`: it cannot be published or indexed as stored. Of the index compared with the catalog, `missing`: not
   * in the index; `extra`: in the index only; `different`: in both, with other content.
   */
  kind: 'rejected' | 'missing' | 'extra' | 'different'
  /** Why it was rejected; of a difference the server that has it, null for the only one. */
  reason: string | null
}

/** The stores that a job reads and writes. */
export type JobStores = Omit<Stores, 'callsAtOnce' | 'close'>

/** The context of a run. */
export interface JobContext extends JobStores {
  /** The job's own lock. A run makes all its writes under a lock. */
  lock: Lock
  /** Retention of removals in the change log, in days. */
  changesKeptDays: number
  /** Signs the manifests of snapshots; absent or null: they are not signed. */
  signer?: ManifestSigner | null
  log: Logger
  /** Asks the run to stop between two steps; completed steps stay. */
  signal: AbortSignal
  clock: () => Date
  progress: Progress
  /** Called with every finding at once. */
  report: (finding: Finding) => void
  /** Called when the previous holder of a lock did not release it: its last requests may still arrive. */
  onTakeover?: (lockName: string) => void
  /** Whether skills without a vector must not be indexed, instead of being embedded later. */
  mustEmbed?: boolean
  /** The sequence after which the skills that are being indexed have changed; absent: some may have changed long ago. */
  changedAfter?: number
}

/** The context of work at one server of the search index. */
export interface IndexContext extends JobContext {
  index: IndexReplica
}

/**
 * The result of a run: logged, stored with its record, and printed by the command line. `waitingFor` names a job that has
 * to run first: this run did nothing.
 */
export type JobResult = Record<string, number | string | boolean | null>

/** The job that has to run before this one; null when the run did its work. */
export const waitsFor = ({ waitingFor }: Record<string, unknown>): string | null =>
  typeof waitingFor === 'string' ? waitingFor : null

/** Whether a run found nothing to do. */
export const didNothing = (result: JobResult): boolean =>
  Object.values(result).every((value) => value === 0 || value === false || value === null)

/** A job: its name, its schedule, and its work. Idempotent. */
export interface Job {
  /** Its name in the log, the metrics and `catalog jobs`, and of the lock that prevents concurrent runs. */
  name: string
  summary: string
  /** Seconds from one run to the next; null: only when triggered. */
  everySeconds: number | null
  /**
   * Whether a run would find work: a cheap read before each scheduled run. When there is none, the run is skipped without
   * a lock or a record, but for one a minute. Absent: every scheduled run takes place.
   */
  hasWork?(stores: JobStores): Promise<boolean>
  run(context: JobContext): Promise<JobResult>
  /** Names of the jobs to run after a run with this result; absent: none. */
  followedBy?: (result: JobResult) => string[]
}
