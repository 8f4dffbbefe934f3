import { emptyInThreads } from '../support/shared-threads.js'
import { catalogContract } from './catalog.js'

// As services open it. Commands and jobs open the same without threads, see `openJobBench`.
catalogContract('sqlite in worker threads', async () => (await emptyInThreads()).catalog)
