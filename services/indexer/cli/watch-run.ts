import type { JobFinding, JobWatcher } from '../../../shared/ports/job-scheduler.js'
import type { Job } from '../job.js'
import { figure } from './figures.js'
import type { ProgressDisplay } from './progress-display.js'

/** Shows how far a run has come, wherever it is under way. */
export const watchRun = (job: Job, display: ProgressDisplay, report: (finding: JobFinding) => void): JobWatcher => ({
  progress(done, total) {
    display.update(done, total, `${job.name}: ${figure(done)}${total === null ? '' : ` of ${figure(total)}`}`)
  },
  report,
})
