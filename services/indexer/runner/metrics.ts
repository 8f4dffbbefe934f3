import { statfs } from 'node:fs/promises'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { StateStore } from '../../../shared/ports/catalog.js'
import type { ChangeLog } from '../../../shared/ports/change-log.js'
import type { DeadLetters } from '../../../shared/ports/document-ingest.js'
import type { JobScheduler, JobStatus } from '../../../shared/ports/job-scheduler.js'
import type { IndexReplica, SearchIndex } from '../../../shared/ports/search-index.js'
import { orNull } from '../../../shared/runtime/operations.js'
import { readSyncPosition, stateKeys } from '../../../shared/state-keys.js'
import type { JobRecord } from './job.js'
import type { EndedRun } from './run-job.js'

/** From a sync that finds nothing to a rebuild of everything, in seconds. */
const durationBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600]

/** A scrape does not wait longer than this for a store or a queue. */
const timeLimitMs = 2_000

/** Dead letters, and the changes that a server lacks, are counted up to this number: each scrape reads them. */
const maxCounted = 1_000

/** Counts the runs that end in this process. */
export function countRuns(registry: Registry): (run: EndedRun) => void {
  const registers = [registry]
  const runs = new Counter({
    name: 'catalog_job_runs_total',
    help:
      'Runs of jobs that ended in this process: succeeded, failed, waiting for another job, or stopped because the ' +
      'process ends.',
    labelNames: ['job', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'catalog_job_duration_seconds',
    help: 'Duration of job runs in this process.',
    labelNames: ['job'],
    buckets: durationBuckets,
    registers,
  })
  return ({ job, outcome, seconds }) => {
    runs.inc({ job, outcome })
    durations.observe({ job }, seconds)
  }
}

/** What the metrics are read from. */
export interface JobMetricsSources {
  registry: Registry
  /** Names of all jobs. */
  jobs: string[]
  /** Name of the job that updates the search index. */
  syncJob: string
  catalog: Pick<StateStore, 'readState'> & Pick<DeadLetters, 'listDeadLetters'>
  index: Pick<SearchIndex, 'status'>
  /** Several servers of the index have metrics of their own. */
  replicas: readonly IndexReplica[]
  changes: Pick<ChangeLog, 'after'>
  scheduler: Pick<JobScheduler, 'status'>
  /** The data folder; absent on servers. */
  dataDir?: string
  clock: () => Date
}

/**
 * Registers the metrics that all processes share (last success, queues, the index). They are read at each scrape, so that
 * every instance reports the same; a value that cannot be read is left out, or is not a number.
 */
export function registerJobMetrics(sources: JobMetricsSources): void {
  const { registry, catalog, scheduler, index, clock, dataDir } = sources
  /** Epoch seconds; null: never. */
  const lastSuccess = async (job: string) => {
    const record = await catalog.readState<JobRecord>(stateKeys.job(job))
    return record?.lastSucceededAt ? Date.parse(record.lastSucceededAt) / 1_000 : null
  }
  const byJob = (name: string, help: string, read: () => Promise<{ job: string; value: number | null }[]>) =>
    new Gauge({
      name,
      help,
      labelNames: ['job'],
      registers: [registry],
      async collect() {
        const values = await orNull(read(), timeLimitMs)
        this.reset()
        for (const { job, value } of values ?? []) {
          if (value !== null) {
            this.set({ job }, value)
          }
        }
      },
    })
  const byStatus = (name: string, help: string, numberOf: (status: JobStatus) => number) =>
    byJob(name, help, async () =>
      (await scheduler.status()).map((status) => ({ job: status.name, value: numberOf(status) })),
    )
  /** @param read null: it is not known */
  const single = (name: string, help: string, read: () => Promise<number | null>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await orNull(read(), timeLimitMs)) ?? Number.NaN)
      },
    })
  byJob('catalog_job_last_success_timestamp_seconds', 'When a job last succeeded, in any process.', () =>
    Promise.all(sources.jobs.map(async (job) => ({ job, value: await lastSuccess(job) }))),
  )
  byStatus('catalog_job_queue_depth', 'Runs that wait to start.', ({ waiting }) => waiting)
  byStatus('catalog_job_running', '1 while a run is in progress, else 0.', ({ running }) => (running ? 1 : 0))
  byStatus('catalog_job_failed_runs', 'Failed runs that are kept for inspection.', ({ failed }) => failed)
  single('catalog_index_lag_seconds', 'Seconds since the last successful sync of the search index.', async () => {
    const succeeded = await lastSuccess(sources.syncJob)
    return succeeded === null ? null : Math.max(0, clock().getTime() / 1_000 - succeeded)
  })
  const documents = async () => (await index.status()).documents
  single('catalog_index_documents', 'Skills that the live search index holds.', documents)
  if (sources.replicas.length > 1) {
    registerByServer(sources)
  }
  if (dataDir !== undefined) {
    single(
      'catalog_disk_free_bytes',
      'Free space on the disk of the data folder, for the user of the service.',
      async () => {
        const { bavail, bsize } = await statfs(dataDir)
        return bavail * bsize
      },
    )
  }
  single(
    'catalog_dead_letters',
    `Records that could not be published or indexed, counted up to ${maxCounted}.`,
    async () => (await catalog.listDeadLetters(null, maxCounted)).length,
  )
}

function registerByServer({ registry, catalog, changes, replicas }: JobMetricsSources): void {
  const gauge = (name: string, help: string, unread: number, read: (replica: IndexReplica) => Promise<number>) =>
    new Gauge({
      name,
      help,
      labelNames: ['server'],
      registers: [registry],
      async collect() {
        const values = await Promise.all(replicas.map((replica) => orNull(read(replica), timeLimitMs)))
        for (const [at, { address = '' }] of replicas.entries()) {
          this.set({ server: address }, values[at] ?? unread)
        }
      },
    })
  gauge('catalog_index_server_up', '1 while a server of the search index answers, else 0.', 0, (replica) =>
    replica.status().then(() => 1),
  )
  gauge(
    'catalog_index_server_lag_changes',
    `Changes that a server of the search index lacks, counted up to ${maxCounted}.`,
    Number.NaN,
    async (replica) => {
      const position = (await readSyncPosition(catalog, replica)) ?? 0
      return (await changes.after(position, maxCounted)).changes.length
    },
  )
}
