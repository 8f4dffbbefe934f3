import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { changeLogContract } from './change-log.js'

for (const threads of [false, true]) {
  changeLogContract(threads ? 'sqlite in worker threads' : 'sqlite', async () => ({
    ...(await openEmbedded(temporaryFolder(), { threads, log: silentLog() })),
    ingest: async () => undefined,
  }))
}
