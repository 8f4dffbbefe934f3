import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { changeLogContract } from './change-log.js'

const ingest = async () => undefined

for (const [name, threads] of [
  ['sqlite', false],
  ['sqlite in worker threads', true],
] as const) {
  changeLogContract(name, async () => ({
    ...(await openEmbedded(temporaryFolder(), { threads, log: silentLog() })),
    ingest,
  }))
}
