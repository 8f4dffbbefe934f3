import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { emptyInThreads } from '../support/shared-threads.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { changeLogContract } from './change-log.js'

const ingest = async () => undefined

changeLogContract('sqlite', async () => ({
  ...(await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })),
  ingest,
}))
changeLogContract('sqlite in worker threads', async () => ({ ...(await emptyInThreads()), ingest }))
