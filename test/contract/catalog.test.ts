import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { emptyInThreads } from '../support/shared-threads.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { catalogContract } from './catalog.js'

catalogContract(
  'sqlite',
  async () => (await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })).catalog,
)
catalogContract('sqlite in worker threads', async () => (await emptyInThreads()).catalog)
