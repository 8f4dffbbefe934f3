import type { Stores } from '../../../shared/adapters/stores.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { DeadLetter } from '../../../shared/ports/document-ingest.js'
import type { JobSchedule, JobStatus, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import type { Stats } from '../../../shared/records/stats.js'
import { AppError, isAlive, operatorMessage } from '../../../shared/runtime/errors.js'
import { ReadinessCheck } from '../../../shared/runtime/operations.js'
import { readSyncPosition, type ServiceState, stateKeys } from '../../../shared/state-keys.js'
import { type JobRecord, readPausedJobs, readRunningSince } from '../runner/job.js'
import { type Disk, isFull, readDisk } from './disk.js'

/** Changes and dead letters are counted up to this number. */
const maxCounted = 1_000

const maxListed = 5

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

/** The stores whose state is read. */
export type StatusStores = Pick<Stores, 'catalog' | 'changes' | 'index' | 'replicas'>

/** A job, with what is stored about it and what its queue says. */
export interface JobRow extends Pick<JobStatus, 'name' | 'everySeconds'> {
  paused: boolean
  lastRun: JobRecord | null
  /** ISO-8601; null when it is not running, or has just started. */
  runningSince: string | null
  /** ISO-8601; null when it has no schedule, is paused, or no service is running. */
  nextRunAt: string | null
  /** Null in the embedded mode, as are the next two. */
  running: boolean | null
  waiting: number | null
  failed: number | null
}

/** The jobs, and the processes that run them. */
export interface JobsReport {
  jobs: JobRow[]
  /** The service that runs on the folder; null: none does. Absent in the servers mode. */
  service?: ServiceState | null
  /** The number of connected indexers. Absent in the embedded mode, and when the queue does not answer. */
  indexers?: number
  /** Why something could not be read, for the operator: it is null, or as if nothing were stored. Empty: all was. */
  faults: string[]
}

/** A count that ends at a limit. */
export interface BoundedCount {
  count: number
  /** Whether there are more. */
  isLowerBound: boolean
}

/** Changes that the search index does not have yet. */
interface SyncLag extends BoundedCount {
  /** When the first of them was logged, ISO-8601; null: there is none. */
  oldestAt: string | null
}

/** One of several servers of the search index. */
export interface IndexServerStatus {
  address: string
  /** Null: it does not answer. */
  documents: number | null
  /** Null: it cannot be read. */
  pending: SyncLag | null
}

export interface CatalogStatus extends JobsReport {
  /** What the catalog depends on, by name. */
  dependencies: Record<string, 'up' | 'down'>
  /** Published skills in the records, in the change log and in the search index; null: it cannot be read. */
  skills: { catalog: number | null; log: number | null; index: number | null }
  /** Other records, as last counted; null: never, or it cannot be read. */
  counted: { prompts: number; organizations: number; at: string | null } | null
  /** What the index has yet to read, on the server with the least of it. Null: it cannot be read. */
  pending: SyncLag | null
  /** Each server of the search index; empty where there is only one. */
  indexServers: IndexServerStatus[]
  /** The number of dead letters, and the first ones; null: they cannot be read. */
  deadLetters: (BoundedCount & { first: DeadLetter[] }) | null
  /** The disk of the data folder, in bytes; null in the servers mode. */
  disk: Disk | null
}

/** Reads the parts of a state: one that cannot be read hides no other, and not the cause. */
export class PartReader {
  readonly #faults = new Set<string>()

  /** The causes so far. */
  get faults(): string[] {
    return [...this.#faults]
  }

  /** @returns null when it cannot be read */
  async read<T>(part: Promise<T>): Promise<T | null> {
    try {
      return await part
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error
      }
      this.#faults.add(operatorMessage(error))
      return null
    }
  }
}

/**
 * Reads the state of a catalog: what can be read of it. `status`, `doctor` and the operator's desk show it.
 *
 * @param parts of which further ones are shown with it
 */
export async function readStatus(
  source: StatusSource,
  { catalog, changes, index, replicas }: StatusStores,
  parts = new PartReader(),
): Promise<CatalogStatus> {
  const disk = source.dataDir === null ? null : await readDisk(source.dataDir)
  const check = new ReadinessCheck({
    catalog: () => catalog.readState(stateKeys.stats),
    search: () => index.status(),
    ...(source.pingLimits === null ? {} : { limits: source.pingLimits }),
  })
  // At once: each call may wait for a server that does not answer.
  const [jobs, { dependencies }, stats, listed, log, inIndex, pending, indexServers, letters] = await Promise.all([
    readJobs(source, catalog, parts),
    // As `/readyz` of an indexer reports them; on servers also `limits`, without which query services count by themselves.
    check.check(),
    parts.read(catalog.readState<Stats>(stateKeys.stats)),
    parts.read(catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 1 })),
    parts.read(changes.countPublished()),
    parts.read(index.status().catch(nullIfDown)),
    parts.read(readLag({ catalog, changes }, replicas)),
    Promise.all(
      (replicas.length === 1 ? [] : replicas).map(
        async (replica): Promise<IndexServerStatus> => ({
          address: replica.address ?? '',
          documents: (await parts.read(replica.status().catch(nullIfDown)))?.documents ?? null,
          pending: await parts.read(readLag({ catalog, changes }, [replica])),
        }),
      ),
    ),
    parts.read(catalog.listDeadLetters(null, maxCounted + 1)),
  ])
  return {
    dependencies: {
      ...dependencies,
      ...(disk === null
        ? { jobs: jobs.indexers === undefined ? 'down' : 'up' }
        : { disk: isFull(disk) ? 'down' : 'up' }),
    },
    skills: { catalog: listed?.total ?? null, log, index: inIndex?.documents ?? null },
    counted:
      stats === null
        ? null
        : {
            prompts: stats.totals.prompts,
            organizations: stats.totals.organizations,
            at: stats.freshness.statsGeneratedAt,
          },
    pending,
    indexServers,
    deadLetters: letters === null ? null : { ...bounded(letters), first: letters.slice(0, maxListed) },
    disk,
    ...jobs,
    faults: parts.faults,
  }
}

/** A server that is down is among the dependencies. @throws any other error, such as a refused key */
function nullIfDown(error: unknown): null {
  if (error instanceof AppError && error.status === 503) {
    return null
  }
  throw error
}

/** The changes in the log that servers of the search index lack: that of them which is the furthest. */
async function readLag(
  { catalog, changes }: Pick<StatusStores, 'catalog' | 'changes'>,
  replicas: readonly IndexReplica[],
): Promise<SyncLag> {
  const positions = await Promise.all(replicas.map((replica) => readSyncPosition(catalog, replica)))
  const position = Math.max(...positions.map((each) => each ?? 0))
  const { changes: pending } = await changes.after(position, maxCounted + 1)
  return { ...bounded(pending), oldestAt: pending[0]?.changedAt ?? null }
}

const bounded = ({ length }: unknown[]): BoundedCount => ({
  count: Math.min(length, maxCounted),
  isLowerBound: length > maxCounted,
})

/** Reads the state of all jobs; where the queue in Redis does not answer, what the catalog stores. */
export async function readJobs(source: StatusSource, catalog: Catalog, parts = new PartReader()): Promise<JobsReport> {
  const { schedules, withIndexers } = source
  // At once, as in `readStatus`.
  const [queue, service, paused, stored] = await Promise.all([
    withIndexers === null
      ? null
      : parts.read(
          withIndexers(async (remote) => ({ indexers: await remote.connected(), statuses: await remote.status() })),
        ),
    withIndexers === null ? parts.read(readService(catalog)) : null,
    parts.read(readPausedJobs(catalog)),
    Promise.all(
      schedules.map(({ name }) =>
        Promise.all([
          parts.read(catalog.readState<JobRecord>(stateKeys.job(name))),
          parts.read(readRunningSince(catalog, name, source.clock())),
        ]),
      ),
    ),
  ])
  const rows = schedules.map(({ name, everySeconds }, at): JobRow => {
    const queued = queue?.statuses.find((status) => status.name === name)
    const [record = null, runningSince = null] = stored[at] ?? []
    const row = {
      name,
      everySeconds: queued?.everySeconds ?? everySeconds,
      paused: paused?.includes(name) ?? false,
      lastRun: lastRunOf(record, queued),
      runningSince,
      running: queued?.running ?? null,
      waiting: queued?.waiting ?? null,
      failed: queued?.failed ?? null,
    }
    const isDue = !row.paused && (service !== null || (queue?.indexers ?? 0) > 0)
    const nextRunAt = queued === undefined ? nextRun(source, row) : queued.nextRunAt
    return { ...row, nextRunAt: isDue ? nextRunAt : null }
  })
  return {
    ...(withIndexers === null ? { service } : {}),
    ...(queue === null ? {} : { indexers: queue.indexers }),
    jobs: rows,
    faults: parts.faults,
  }
}

/** The last run of a job: as stored; or that of its queue, where the store has none or it is a later failure. */
function lastRunOf(stored: JobRecord | null, queued: JobStatus | undefined): JobRecord | null {
  const last = queued?.lastRun ?? null
  if (last === null || (stored !== null && (last.outcome === 'succeeded' || last.endedAt <= stored.endedAt))) {
    return stored
  }
  return { ...last, lastSucceededAt: last.outcome === 'succeeded' ? last.endedAt : (stored?.lastSucceededAt ?? null) }
}

/** The service that runs on a data folder; null: none does. */
async function readService(catalog: Catalog): Promise<ServiceState | null> {
  const service = await catalog.readState<ServiceState>(stateKeys.service)
  return service !== null && isAlive(service.pid) ? service : null
}

function nextRun({ clock }: StatusSource, { lastRun, everySeconds }: Omit<JobRow, 'nextRunAt'>): string | null {
  if (everySeconds === null) {
    return null
  }
  const now = clock().getTime()
  const due = lastRun === null ? now : Date.parse(lastRun.startedAt) + everySeconds * 1_000
  return new Date(Math.max(now, due)).toISOString()
}
