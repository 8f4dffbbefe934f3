import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { catalogContract } from './catalog.js'

for (const threads of [false, true]) {
  catalogContract(
    threads ? 'sqlite in worker threads' : 'sqlite',
    async () => (await openEmbedded(temporaryFolder(), { threads, log: silentLog() })).catalog,
  )
}
