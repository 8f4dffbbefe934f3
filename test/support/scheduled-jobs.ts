import type { Job } from '../../services/indexer/runner/job.js'
import type { JobRunControl } from '../../shared/ports/job-scheduler.js'

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
