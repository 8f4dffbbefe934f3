import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { DeadLetter } from '../../../shared/ports/dead-letters.js'
import type { Stats } from '../../../shared/records/stats.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { ReadinessCheck } from '../../../shared/runtime/readiness.js'
import { ignoreMissing } from '../../../shared/runtime/system-error.js'
import { readSyncPosition, stateKeys } from '../../../shared/state-keys.js'
import { type Replica, replicasOf } from '../indexing/replicas.js'
import { type JobsReport, PartReader, readJobs, readStoredJobs } from './read-jobs.js'
import type { StatusSource, StatusStores } from './status-source.js'

/** Changes and dead letters are counted up to this number. */
const maxCounted = 1_000

/** Dead letters that are listed. */
const maxListed = 5

/** A count that ends at a limit. */
export interface BoundedCount {
  count: number
  /** Whether there are more. */
  isLowerBound: boolean
}

/** Changes that the search index does not have yet. */
export interface SyncLag extends BoundedCount {
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

/** The first dead letters, and the number of all. */
export interface DeadLetters extends BoundedCount {
  first: DeadLetter[]
}

export interface CatalogStatus extends JobsReport {
  /** What the catalog depends on, by name. */
  dependencies: Record<string, 'up' | 'down'>
  /** Published skills in the records, in the change log and in the search index; null: it cannot be read. */
  skills: { catalog: number | null; log: number | null; index: number | null }
  /** Other records, as last counted; null: never, or it cannot be read. */
  counted: { prompts: number; organizations: number; at: string | null } | null
  /** Of the server that is the furthest. Null: it cannot be read. */
  pending: SyncLag | null
  /** Each server of the search index; empty where there is only one. */
  indexServers: IndexServerStatus[]
  /** Null: they cannot be read. */
  deadLetters: DeadLetters | null
  /** Of the data folder, in bytes; null in the servers mode. */
  disk: Disk | null
}

/** The space that a data folder takes, and what is free for this user, in bytes. */
export interface Disk {
  usedBytes: number
  freeBytes: number
}

/** With less than this, hardly anything can be written. */
const fullBytes = 1_000_000

export const isFull = ({ freeBytes }: Disk): boolean => freeBytes < fullBytes

/** Reads the state of a catalog: what can be read of it. */
export async function readStatus(source: StatusSource, stores: StatusStores): Promise<CatalogStatus> {
  const { catalog, changes, index } = stores
  const jobs = await readJobs(source, catalog).catch((error) => {
    if (error instanceof AppError && error.code === 'jobs_unavailable') {
      return readStoredJobs(source, catalog)
    }
    throw error
  })
  const disk = source.dataDir === null ? null : await readDisk(source.dataDir)
  const parts = new PartReader()
  const list = { filters: {}, sort: 'stars', order: 'desc', limit: 1 } as const
  // At once: each call may wait for a server that does not answer.
  const [dependencies, stats, listed, log, inIndex, pending, indexServers, deadLetters] = await Promise.all([
    readDependencies(source, stores, jobs),
    parts.read(catalog.readState<Stats>(stateKeys.stats)),
    parts.read(catalog.listSkills(list)),
    parts.read(changes.countPublished()),
    index.status().then(
      ({ documents }) => documents,
      () => null,
    ),
    parts.read(readSyncLag(stores)),
    Promise.all((index.replicas ?? []).map((replica) => readIndexServer(stores, replica, parts))),
    parts.read(readDeadLetters(stores)),
  ])
  return {
    dependencies: { ...dependencies, ...(disk === null ? {} : { disk: isFull(disk) ? 'down' : 'up' }) },
    skills: { catalog: listed?.total ?? null, log, index: inIndex },
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
    deadLetters,
    disk,
    ...jobs,
    faults: [...new Set([...jobs.faults, ...parts.faults])],
  }
}

/** The changes in the log that the search index lacks; on several servers that of them which is the furthest. */
async function readSyncLag({ catalog, changes, index }: StatusStores): Promise<SyncLag> {
  const positions = await Promise.all(replicasOf(index).map((replica) => readSyncPosition(catalog, replica)))
  return lagAfter(changes, Math.max(...positions.map((position) => position ?? 0)))
}

/** The same of one server. */
export const readLag = async ({ catalog, changes }: Pick<Stores, 'catalog' | 'changes'>, replica: Replica) =>
  lagAfter(changes, (await readSyncPosition(catalog, replica)) ?? 0)

async function readIndexServer(
  { catalog, changes }: StatusStores,
  replica: Replica,
  parts: PartReader,
): Promise<IndexServerStatus> {
  const [documents, pending] = await Promise.all([
    replica.status().then(
      (status) => status.documents,
      () => null,
    ),
    parts.read(readLag({ catalog, changes }, replica)),
  ])
  return { address: replica.address ?? '', documents, pending }
}

async function lagAfter(changes: Stores['changes'], position: number): Promise<SyncLag> {
  const { changes: pending } = await changes.after(position, maxCounted + 1)
  return { ...bounded(pending.length), oldestAt: pending[0]?.changedAt ?? null }
}

/** The first dead letters, and the number of all. */
export async function readDeadLetters({ catalog }: Pick<Stores, 'catalog'>): Promise<DeadLetters> {
  const letters = await catalog.listDeadLetters(null, maxCounted + 1)
  return { ...bounded(letters.length), first: letters.slice(0, maxListed) }
}

const bounded = (found: number): BoundedCount => ({
  count: Math.min(found, maxCounted),
  isLowerBound: found > maxCounted,
})

/** As `/readyz` of an indexer reports them; on servers also `limits`, without which query services count by themselves. */
async function readDependencies(
  source: StatusSource,
  { catalog, index }: StatusStores,
  jobs: JobsReport,
): Promise<CatalogStatus['dependencies']> {
  const check = new ReadinessCheck({
    catalog: () => catalog.readState(stateKeys.stats),
    search: () => index.status(),
    ...(source.pingLimits === null ? {} : { limits: source.pingLimits }),
  })
  const { dependencies } = await check.check()
  return { ...dependencies, ...(source.dataDir === null ? { jobs: jobs.indexers === undefined ? 'down' : 'up' } : {}) }
}

/** The size of a folder's files, and the free space next to them. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bavail, bsize } = await statfs(folder)
  return { usedBytes: await usedBytes(folder), freeBytes: bavail * bsize }
}

/** Files and folders that a running service deletes meanwhile count as nothing. */
async function usedBytes(folder: string): Promise<number> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? []
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return usedBytes(path)
    }
    return entry.isFile() ? ((await stat(path).catch(ignoreMissing))?.size ?? 0) : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
