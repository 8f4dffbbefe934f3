import { InProcessScheduler } from '../../shared/adapters/embedded/in-process-scheduler.js'
import { jobSchedulerContract } from './job-scheduler.js'

jobSchedulerContract('in process', async () => new InProcessScheduler())
