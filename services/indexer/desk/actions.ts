import { setTimeout as sleep } from 'node:timers/promises'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import type { StateStore } from '../../../shared/ports/state-store.js'
import { pauseJobs, resumeJobs } from '../runner/paused-jobs.js'

/** Short runs end within this time: their result is on the next page. */
const runMs = 1_000

export interface ActionDeps {
  catalog: StateStore
  scheduler: Pick<JobScheduler, 'trigger'>
}

/** What can be done with a job, by the name in the path. Each throws the AppError of its store or queue. */
export const actions = new Map<string, (job: string, deps: ActionDeps) => Promise<unknown>>([
  ['run', runJob],
  ['pause', (job, { catalog }) => pauseJobs(catalog, [job])],
  ['resume', (job, { catalog }) => resumeJobs(catalog, [job])],
])

/** Rejects when the run could not be requested; the result of a run is shown with its job. */
async function runJob(job: string, { scheduler }: ActionDeps): Promise<void> {
  const run = scheduler.trigger(job)
  run.catch(() => undefined)
  await Promise.race([run, sleep(runMs)])
}
