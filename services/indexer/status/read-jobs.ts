import type { Catalog } from '../../../shared/ports/catalog.js'
import type { JobRun, JobStatus } from '../../../shared/ports/job-scheduler.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
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
  /** Why something could not be read, for the operator: it is null, or as if nothing were stored. Empty: all was. */
  faults: string[]
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

/** Reads the state of all jobs. @throws AppError `jobs_unavailable` when Redis does not answer */
export function readJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  return source.withIndexers === null ? readLocalJobs(source, catalog) : readIndexersJobs(catalog, source.withIndexers)
}

/** The same without the queue in Redis: what the catalog stores. */
export async function readStoredJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  const { jobs, faults } = await readLocalJobs(source, catalog)
  return { faults, jobs: jobs.map((job) => ({ ...job, nextRunAt: null })) }
}

async function readLocalJobs(source: StatusSource, catalog: Catalog): Promise<JobsReport> {
  const parts = new PartReader()
  const service = await parts.read(readService(catalog))
  const storedOf = await readStored(catalog, parts)
  const rows = source.schedules.map(async ({ name, everySeconds }): Promise<JobRow> => {
    const stored = await storedOf(name)
    const due = service !== null && everySeconds !== null && !stored.paused
    const nextRunAt = due ? nextRun(source, stored.lastRun, everySeconds) : null
    return { ...stored, everySeconds, nextRunAt, running: null, waiting: null, failed: null }
  })
  return { service, jobs: await Promise.all(rows), faults: parts.faults }
}

function readIndexersJobs(
  catalog: Catalog,
  withIndexers: NonNullable<StatusSource['withIndexers']>,
): Promise<JobsReport> {
  return withIndexers(async (remote) => {
    const [indexers, statuses] = await Promise.all([remote.connected(), remote.status()])
    const parts = new PartReader()
    const storedOf = await readStored(catalog, parts)
    const rows = statuses.map(async ({ name, everySeconds, nextRunAt, running, waiting, failed, lastRun }) => {
      const read = await storedOf(name)
      // Where the catalog cannot be read or written, the queue has the errors of its jobs.
      const stored = { ...read, lastRun: withUnstored(read.lastRun, lastRun) }
      const due = indexers > 0 && !stored.paused
      return { ...stored, everySeconds, nextRunAt: due ? nextRunAt : null, running, waiting, failed }
    })
    return { indexers, jobs: await Promise.all(rows), faults: parts.faults }
  })
}

/** The last run of a job: as stored, or a later failure that could not be stored. */
function withUnstored(stored: JobRecord | null, queued: JobRun | null): JobRecord | null {
  const isLater = queued?.outcome === 'failed' && (stored === null || queued.endedAt > stored.endedAt)
  return isLater ? { ...queued, lastSucceededAt: stored?.lastSucceededAt ?? null } : stored
}

/** The columns that the catalog stores. */
type StoredColumns = Pick<JobRow, 'name' | 'lastRun' | 'runningSince' | 'paused'>

/** Reads what the catalog stores about all jobs. @returns reads what it stores about one */
async function readStored(catalog: Catalog, parts: PartReader): Promise<(name: string) => Promise<StoredColumns>> {
  const paused = (await parts.read(readPausedJobs(catalog))) ?? []
  return async (name) => ({
    name,
    lastRun: await parts.read(catalog.readState<JobRecord>(stateKeys.job(name))),
    runningSince: await parts.read(runningSince(catalog, name)),
    paused: paused.includes(name),
  })
}

/** A killed process leaves the start of its run in the catalog, but does not hold the lock. */
async function runningSince(catalog: Catalog, name: string): Promise<string | null> {
  const since = await catalog.readState<string>(stateKeys.jobRunningSince(name))
  const lock = since === null ? null : await catalog.lock(name)
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
