import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { changeLogContract } from './change-log.js'

// Threads only pass the calls on, as `test/services/desk.test.ts` shows, which runs every job through them.
changeLogContract('sqlite', async () => ({
  ...(await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })),
  ingest: async () => undefined,
}))
