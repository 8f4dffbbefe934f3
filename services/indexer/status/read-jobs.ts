import type { Catalog } from '../../../shared/ports/catalog.js'
import type { JobRun, JobStatus } from '../../../shared/ports/job-scheduler.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { isAlive } from '../../../shared/runtime/system-error.js'
import { type ServiceState, stateKeys } from '../../../shared/state-keys.js'
import { readPausedJobs } from '../runner/paused-jobs.js'
import type { JobRecord } from '../runner/run-job.js'
import type { StatusSource } from './status-source.js'

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
  /** The number of connected indexers. Absent in the embedded mode. */
  indexers?: number
}

/** Reads the state of all jobs. @throws AppError `jobs_unavailable` when Redis does not answer */
export function readJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  return source.withIndexers === null ? readLocalJobs(source, catalog) : readIndexersJobs(catalog, source.withIndexers)
}

/** The same without the queue in Redis: what the catalog stores. */
export async function readStoredJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  const { jobs } = await readLocalJobs(source, catalog)
  return { jobs: jobs.map((job) => ({ ...job, nextRunAt: null })) }
}

async function readLocalJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  const service = await readService(catalog)
  const paused = await readPausedJobs(catalog)
  const jobs: JobRow[] = []
  for (const { name, everySeconds } of source.schedules) {
    const stored = await readStored(catalog, name, paused)
    const due = service !== null && everySeconds !== null && !stored.paused
    const nextRunAt = due ? nextRun(source, stored.lastRun, everySeconds) : null
    jobs.push({ ...stored, everySeconds, nextRunAt, running: null, waiting: null, failed: null })
  }
  return { service, jobs }
}

function readIndexersJobs(
  catalog: Catalog,
  withIndexers: NonNullable<StatusSource['withIndexers']>,
): Promise<JobsReport> {
  return withIndexers(async (remote) => {
    const [indexers, statuses] = await Promise.all([remote.connected(), remote.status()])
    // A catalog that refuses to be read or written must not hide why its jobs fail: the queue has their errors too.
    const paused = await readPausedJobs(catalog).catch(unavailableAs<string[]>([]))
    const jobs: JobRow[] = []
    for (const { name, everySeconds, nextRunAt, running, waiting, failed, lastRun } of statuses) {
      const unread = { name, lastRun: null, runningSince: null, paused: paused.includes(name) }
      const read = await readStored(catalog, name, paused).catch(unavailableAs<StoredColumns>(unread))
      const stored = { ...read, lastRun: withUnstored(read.lastRun, lastRun) }
      const due = indexers > 0 && !stored.paused
      jobs.push({ ...stored, everySeconds, nextRunAt: due ? nextRunAt : null, running, waiting, failed })
    }
    return { indexers, jobs }
  })
}

/** In place of what cannot be read from a catalog that is unavailable. */
const unavailableAs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof AppError && error.status === 503) {
      return value
    }
    throw error
  }

/** The last run of a job: as stored, or a later failure that could not be stored. */
function withUnstored(stored: JobRecord | null, queued: JobRun | null): JobRecord | null {
  const isLater = queued?.outcome === 'failed' && (stored === null || queued.endedAt > stored.endedAt)
  return isLater ? { ...queued, lastSucceededAt: stored?.lastSucceededAt ?? null } : stored
}

/** The columns that the catalog stores. */
type StoredColumns = Pick<JobRow, 'name' | 'lastRun' | 'runningSince' | 'paused'>

async function readStored(catalog: Catalog, name: string, paused: string[]): Promise<StoredColumns> {
  const lastRun = await catalog.readState<JobRecord>(stateKeys.job(name))
  return { name, lastRun, runningSince: await runningSince(catalog, name), paused: paused.includes(name) }
}

/** A killed process leaves the start of its run in the catalog, but does not hold the lock. */
async function runningSince(catalog: Catalog, name: string): Promise<string | null> {
  const since = await catalog.readState<string>(stateKeys.jobRunningSince(name))
  const lock = since === null ? null : await catalog.lock(name).catch(unavailableAs(null))
  await lock?.release()
  return lock === null ? since : null
}

/** The service that runs on a data folder; null: none does. */
async function readService(catalog: Catalog): Promise<ServiceState | null> {
  const service = await catalog.readState<ServiceState>(stateKeys.service)
  return service !== null && isAlive(service.pid) ? service : null
}

function nextRun(source: StatusSource, lastRun: JobRecord | null, everySeconds: number): string {
  const now = source.clock().getTime()
  const due = lastRun === null ? now : Date.parse(lastRun.startedAt) + everySeconds * 1_000
  return new Date(Math.max(now, due)).toISOString()
}
