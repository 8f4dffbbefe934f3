import type { JobSchedule } from '../../../shared/ports/job-scheduler.js'
import { type ServiceState, stateKeys } from '../../../shared/state-keys.js'
import type { JobRecord } from '../run-job.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { inWords } from './figures.js'

/** A row of the table. */
interface JobRow extends JobSchedule {
  lastRun: JobRecord | null
  /** ISO-8601; null when no service runs, or it runs by hand only. */
  nextRunAt: string | null
}

/** `jobs`: what runs when, and how it went. */
export const jobs = defineCommand<CommonOptions>({
  usage: 'jobs',
  summary: 'show each job: how often it runs, how its last run ended, when the next one is due',
  details: [],
  examples: ['jobs', 'jobs --json'],
  run: showJobs,
})

async function showJobs(cli: CommandLine): Promise<Outcome> {
  return cli.withStores(async ({ catalog }) => {
    const service = await catalog.readState<ServiceState>(stateKeys.service)
    const running = service !== null && isAlive(service.pid) ? service : null
    const rows: JobRow[] = []
    for (const { name, everySeconds } of cli.schedules) {
      const lastRun = await catalog.readState<JobRecord>(stateKeys.job(name))
      const nextRunAt = running === null || everySeconds === null ? null : nextRun(cli, lastRun, everySeconds)
      rows.push({ name, everySeconds, lastRun, nextRunAt })
    }
    const state =
      running === null
        ? 'No service runs on this catalog: jobs run when one is started, or by hand.'
        : `The service runs as process ${running.pid}${running.url === null ? '' : `, ${running.url}`}.`
    return { status: 0, result: { service: running, jobs: rows }, text: `${table(rows)}\n${state}\n` }
  })
}

function nextRun(cli: CommandLine, lastRun: JobRecord | null, everySeconds: number): string {
  const now = cli.clock().getTime()
  const due = lastRun === null ? now : Date.parse(lastRun.startedAt) + everySeconds * 1_000
  return new Date(Math.max(now, due)).toISOString()
}

function table(rows: JobRow[]): string {
  const cells = rows.map(({ name, everySeconds, lastRun, nextRunAt }) => [
    name,
    everySeconds === null ? 'by hand' : `${everySeconds} s`,
    lastRun?.startedAt ?? 'never',
    lastRun === null ? '-' : (lastRun.error ?? `${lastRun.outcome}: ${inWords(lastRun.result ?? {})}`),
    nextRunAt ?? '-',
  ])
  const lines = [['job', 'every', 'last run', 'outcome', 'next run'], ...cells]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is there, although it may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
