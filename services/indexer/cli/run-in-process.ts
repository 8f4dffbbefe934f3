import { setTimeout as sleep } from 'node:timers/promises'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import { readSharedConfig, type SharedConfig } from '../../../shared/runtime/config.js'
import { readGroups } from '../../../shared/runtime/env.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { readOperationsConfig } from '../../../shared/runtime/operations.js'
import { readQueryConfig } from '../../../shared/runtime/query-config.js'
import { readIndexerConfig } from '../config.js'
import { reconcileLateWrites } from '../jobs/reconcile.js'
import type { Job, JobResult } from '../runner/job.js'
import { runJob } from '../runner/run-job.js'
import type { CommandLine } from './command-line.js'
import { type ProgressDisplay, watchRun } from './output/progress-display.js'

/**
 * The configuration of the services, except that a command logs nothing unless `LOG_LEVEL` is set: it prints its result
 * and errors for its user.
 *
 * @throws AppError `bad_configuration`
 */
export const readCommandConfig = (env: NodeJS.ProcessEnv): SharedConfig =>
  readSharedConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'silent' })

/**
 * Reads the settings of all services and of the commands.
 *
 * @throws AppError `bad_configuration` whose message lists every bad variable
 */
export function checkConfig(env: NodeJS.ProcessEnv): void {
  readGroups(
    {
      shared: readSharedConfig,
      indexer: readIndexerConfig,
      query: readQueryConfig,
      operations: readOperationsConfig,
    },
    env,
  )
}

/** The address of the query service on this machine; null: it takes any free port. @throws AppError `bad_configuration` */
export function readServiceUrl(env: NodeJS.ProcessEnv): string | null {
  const { host, port } = readQueryConfig(env)
  return port === 0 ? null : localUrl(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/** The same address on this machine: a service that listens on every network interface answers on this machine's own. */
export const localUrl = (url: string): string => url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1')

/** Runs a job once in this process, showing its progress. */
export async function runInProcess(
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> {
  return runJob(job, {
    ...stores,
    changesKeptDays: cli.changesKeptDays,
    signer: cli.signer,
    log: cli.log,
    signal: cli.signal,
    clock: cli.clock,
    watcher: watchRun(job, display, report),
    onTakeover: (lockName) => void cli.withIndexers?.((jobs) => reconcileLateWrites(jobs, lockName)),
  })
}

/** Milliseconds between two attempts while another process runs the job. */
const retryMs = 100

/**
 * As `runInProcess`, after the run of another process: that one may have started too early to process the records of
 * this process. Findings are not reported.
 *
 * @returns null when the other run has not ended within `timeoutMs`
 */
export async function runAfterOthers(
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
  timeoutMs: number,
): Promise<JobResult | null> {
  const deadlineMs = performance.now() + timeoutMs
  let isReported = false
  for (;;) {
    try {
      return await runInProcess(job, cli, stores, display, () => undefined)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'job_running')) {
        throw error
      }
    }
    if (performance.now() > deadlineMs) {
      return null
    }
    if (!isReported) {
      display.report(`Another process is running ${job.name} on this catalog: waiting for it.`)
      isReported = true
    }
    await sleep(retryMs, undefined, { signal: cli.signal })
  }
}
