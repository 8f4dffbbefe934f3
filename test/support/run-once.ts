import type { Job, JobResult } from '../../services/indexer/runner/job.js'
import { runJob } from '../../services/indexer/runner/run-job.js'
import { openStores } from '../../shared/adapters/open.js'
import type { OpenOptions, Stores } from '../../shared/adapters/stores.js'
import type { JobRunControl } from '../../shared/ports/job-scheduler.js'
import type { EmbedderConfig } from '../../shared/runtime/query-config.js'
import { silentLog } from './test-log.js'

/** Does one run of a job. @param others other ports, another clock, a signal */
export const runOnce = (
  job: Job,
  stores: Omit<Stores, 'close'>,
  others: Partial<Parameters<typeof runJob>[1]> = {},
): Promise<JobResult> =>
  runJob(job, {
    ...stores,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(),
    ...others,
  })

/** Opens the stores of a data folder as a command does, in this process. */
export const openFolder = (
  dataDir: string,
  { log = silentLog(), embedder = { kind: 'built-in' } as EmbedderConfig, ...options }: FolderOptions = {},
): Promise<Stores> =>
  openStores(
    { mode: 'embedded', dataDir, logLevel: 'silent', skillText: 'cleaned', embedder },
    { threads: false, writes: true, startTimeoutMs: 0, log, ...options },
  )

type FolderOptions = Partial<OpenOptions> & { embedder?: EmbedderConfig | undefined }

/** A clock that is so many days ahead. */
export const inDays = (days: number) => (): Date => new Date(Date.now() + days * 86_400_000)

/** A job with this run. */
export const aJob = (run: Job['run'] = async () => ({ done: 1 })): Job => ({
  name: 'a-job',
  summary: 'do something',
  everySeconds: 60,
  run,
})

/** The control of a run, as the scheduler passes it. */
export const aRun = (control: Partial<JobRunControl> = {}): JobRunControl => ({
  signal: new AbortController().signal,
  byHand: false,
  watcher: { progress: () => undefined, report: () => undefined },
  ...control,
})

/** For runs without a following job. */
export const noScheduler = { request: async () => undefined }

/** The record of a job whose last run failed, and that has never succeeded. */
export const aFailedRun = {
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  outcome: 'failed',
  result: null,
  error: 'the disk is full',
  lastSucceededAt: null,
} as const
