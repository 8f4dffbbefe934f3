import { LocalExportCopy } from '../../shared/adapters/servers/exports/local-export-copy.js'
import { onEachExportStore } from '../support/export-stores.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { exportStoreContract } from './export-store.js'

onEachExportStore((name, open) => {
  exportStoreContract(`local copy of ${name}`, async () =>
    LocalExportCopy.open({ remote: await open(), folder: temporaryFolder(), log: silentLog(), checkEveryMs: 5 }),
  )
})
