import { randomUUID } from 'node:crypto'
import { InProcessScheduler } from '../../shared/adapters/embedded/scheduler/in-process-scheduler.js'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { whenServer } from '../support/servers.js'
import { silentLog } from '../support/test-log.js'
import { jobSchedulerContract } from './job-scheduler.js'

jobSchedulerContract('in process', async () => new InProcessScheduler())

whenServer('redis', (url) =>
  jobSchedulerContract(
    'bullmq',
    async () => new BullmqScheduler({ url: url(), log: silentLog(), prefix: `test-${randomUUID()}` }),
  ),
)
