import type { JobRun } from '../../../shared/ports/job-scheduler.js'
import type { Lock } from '../../../shared/ports/locks.js'
import type { StateStore } from '../../../shared/ports/state-store.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'
import type { Job, JobContext } from './job.js'
import type { RunLog } from './run-log.js'

/** The stored record of a job's last run. */
export interface JobRecord extends JobRun {
  /** The end of its last successful run; null: never. */
  lastSucceededAt: string | null
}

/** A run that lasts longer is shown as running. */
const shownAfterMs = 500

/** A process that runs a job says so at this interval, and counts as dead after that time. */
const seenEveryMs = 10_000
const seenForMs = 30_000

type RecordDeps = Pick<JobContext, 'catalog' | 'log' | 'clock'>

/** A run in progress, as stored: the process that runs it renews the time at which it was last alive. */
interface RunningJob {
  /** ISO-8601, both. */
  since: string
  seenAt: string
}

/**
 * Stores in the catalog that a run is in progress, once it has lasted some time: most runs end sooner.
 *
 * @returns a function that removes this; never rejects
 */
export function showRunning(job: Job, { catalog, log, clock }: RecordDeps, since: string): () => Promise<void> {
  const write = (running: RunningJob | null) =>
    catalog.writeState(stateKeys.jobRunningSince(job.name), running).catch((error: unknown) => {
      log.debug({ job: job.name, err: error }, 'the running state of a job could not be stored')
    })
  let shown: Promise<void> | null = null
  const show = () => {
    shown = (shown ?? Promise.resolve()).then(() => write({ since, seenAt: clock().toISOString() }))
  }
  const timers = [setTimeout(show, shownAfterMs), setInterval(show, seenEveryMs)]
  return async () => {
    timers.forEach(clearTimeout)
    await shown
    await (shown && write(null))
  }
}

/** When the run of a job in progress began, ISO-8601; null: none is, or its process has been killed. */
export async function readRunningSince(
  catalog: Pick<StateStore, 'readState'>,
  name: string,
  now: Date,
): Promise<string | null> {
  const running = await catalog.readState<RunningJob>(stateKeys.jobRunningSince(name))
  return running !== null && now.getTime() - Date.parse(running.seenAt) < seenForMs ? running.since : null
}

/**
 * Stores the record of a run. A failure to store it is logged and does not fail the run: the next run writes its own.
 * A run that has lost its lock stores none: the run that took over writes the record.
 */
export async function keepRecord(
  job: Job,
  deps: RecordDeps & { lock: Lock; runLog: RunLog },
  run: JobRun,
  succeededAt: string | null,
): Promise<void> {
  const key = stateKeys.job(job.name)
  try {
    const lastSucceededAt = succeededAt ?? (await deps.catalog.readState<JobRecord>(key))?.lastSucceededAt ?? null
    await deps.catalog.writeState(key, { ...run, lastSucceededAt } satisfies JobRecord, deps.lock)
    deps.runLog.stored(deps.log.child({ job: job.name }), null)
  } catch (error) {
    if (error instanceof AppError && error.code === 'lock_lost') {
      return
    }
    deps.runLog.stored(deps.log.child({ job: job.name }), error)
  }
}
