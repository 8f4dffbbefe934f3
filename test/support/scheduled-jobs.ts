import type { Job } from '../../services/indexer/job.js'
import type { JobRunControl } from '../../shared/ports/job-scheduler.js'

/** A job that does this in a run. */
export const aJob = (run: Job['run'] = async () => ({ done: 1 })): Job => ({
  name: 'a-job',
  summary: 'do something',
  everySeconds: 60,
  run,
})

/** What the scheduler gives a run. */
export const aRun = (control: Partial<JobRunControl> = {}): JobRunControl => ({
  signal: new AbortController().signal,
  byHand: false,
  watcher: { progress: () => undefined, report: () => undefined },
  ...control,
})

/** For runs that no other job is to follow. */
export const noTrigger = async () => undefined
