import type { Catalog } from '../../../../shared/ports/catalog.js'
import { type ServiceState, stateKeys } from '../../../../shared/state-keys.js'
import { readPausedJobs } from '../../runner/paused-jobs.js'
import type { JobRecord } from '../../runner/run-job.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { type JobRow, jobTable } from '../output/job-table.js'
import { jobsDeadLetters } from './jobs-dead-letters.js'
import { jobsPause } from './jobs-pause.js'
import { jobsResume } from './jobs-resume.js'
import { jobsRetry } from './jobs-retry.js'

/** `jobs`: lists the jobs with their schedules and last runs. */
export const jobs = defineCommand<CommonOptions>({
  usage: 'jobs',
  summary: 'list the jobs with their intervals, last runs and next runs',
  details: [],
  examples: ['jobs', 'jobs --json', 'jobs retry', 'jobs pause sync-index'],
  run: (cli) => (cli.withIndexers === null ? showLocalJobs(cli) : showIndexersJobs(cli, cli.withIndexers)),
  subcommands: [jobsRetry, jobsDeadLetters, jobsPause, jobsResume],
})

/** The columns that the catalog stores. */
type StoredColumns = Pick<JobRow, 'name' | 'lastRun' | 'runningSince' | 'paused'>

async function readStored(catalog: Catalog, name: string, paused: string[]): Promise<StoredColumns> {
  const lastRun = await catalog.readState<JobRecord>(stateKeys.job(name))
  return { name, lastRun, runningSince: await runningSince(catalog, name), paused: paused.includes(name) }
}

/** A killed process leaves the start of its run in the catalog, but does not hold the lock. */
async function runningSince(catalog: Catalog, name: string): Promise<string | null> {
  const since = await catalog.readState<string>(stateKeys.jobRunningSince(name))
  const lock = since === null ? null : await catalog.lock(name)
  await lock?.release()
  return lock === null ? since : null
}

function showLocalJobs(cli: CommandLine): Promise<Outcome> {
  return cli.withCatalog(async (catalog) => {
    const service = await catalog.readState<ServiceState>(stateKeys.service)
    const running = service !== null && isAlive(service.pid) ? service : null
    const paused = await readPausedJobs(catalog)
    const rows: JobRow[] = []
    for (const { name, everySeconds } of cli.schedules) {
      const stored = await readStored(catalog, name, paused)
      const due = running !== null && everySeconds !== null && !stored.paused
      const nextRunAt = due ? nextRun(cli, stored.lastRun, everySeconds) : null
      rows.push({ ...stored, everySeconds, nextRunAt, running: null, waiting: null, failed: null })
    }
    const state =
      running === null
        ? 'No service is running on this catalog: jobs run when one is started, or by hand.'
        : `The service is running as process ${running.pid}${running.url === null ? '' : `, ${running.url}`}.`
    return { status: 0, result: { service: running, jobs: rows }, text: `${jobTable(rows)}\n${state}\n` }
  })
}

function showIndexersJobs(cli: CommandLine, withIndexers: NonNullable<CommandLine['withIndexers']>): Promise<Outcome> {
  return withIndexers(async (jobs) => {
    const [indexers, statuses] = await Promise.all([jobs.connected(), jobs.status()])
    return cli.withCatalog(async (catalog) => {
      const paused = await readPausedJobs(catalog)
      const rows: JobRow[] = []
      for (const { name, everySeconds, nextRunAt, running, waiting, failed } of statuses) {
        const stored = await readStored(catalog, name, paused)
        const due = indexers > 0 && !stored.paused
        rows.push({ ...stored, everySeconds, nextRunAt: due ? nextRunAt : null, running, waiting, failed })
      }
      return { status: 0, result: { indexers, jobs: rows }, text: `${jobTable(rows)}\n${indexersLine(indexers)}\n` }
    })
  })
}

const indexersLine = (indexers: number): string => {
  switch (indexers) {
    case 0:
      return 'No indexer is connected: jobs run when one is started (npm run start:indexer), or with --local.'
    case 1:
      return '1 indexer is connected.'
    default:
      return `${indexers} indexers are connected.`
  }
}

function nextRun(cli: CommandLine, lastRun: JobRecord | null, everySeconds: number): string {
  const now = cli.clock().getTime()
  const due = lastRun === null ? now : Date.parse(lastRun.startedAt) + everySeconds * 1_000
  return new Date(Math.max(now, due)).toISOString()
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
