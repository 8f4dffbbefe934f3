import type { Stores } from '../../../shared/adapters/stores.js'
import type { JobSchedule, RemoteJobs } from '../../../shared/ports/job-scheduler.js'

/** The stores whose state is read. */
export type StatusStores = Pick<Stores, 'catalog' | 'changes' | 'index'>

/** What the state of a catalog is read from, apart from its stores. */
export interface StatusSource {
  clock: () => Date
  /** The configured data folder; null in the servers mode. */
  dataDir: string | null
  /** The configured interval of each job. */
  schedules: JobSchedule[]
  /** Connects to the indexers, and disconnects after `work`; null in the embedded mode. */
  withIndexers: (<T>(work: (jobs: RemoteJobs) => Promise<T>) => Promise<T>) | null
  /** Resolves when the Redis of the rate limits answers, else rejects; null in the embedded mode. */
  pingLimits: (() => Promise<void>) | null
}
