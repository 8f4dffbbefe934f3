import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LocalExportCopy } from '../../shared/adapters/servers/exports/local-export-copy.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { onEachExportStore } from '../support/export-stores.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { exportStoreContract } from './export-store.js'

/** A copy, and the store into which another process publishes; each snapshot is awaited. */
async function copyOf(remote: ExportStore): Promise<ExportStore> {
  const copy = await LocalExportCopy.open({ remote, folder: temporaryFolder(), log: silentLog(), checkEveryMs: 5 })
  return {
    async publish(...given) {
      const published = await remote.publish(...given)
      while (!isDeepStrictEqual(await copy.snapshots(), await remote.snapshots())) {
        await sleep(5)
      }
      return published
    },
    snapshots: (named) => copy.snapshots(named),
    open: (sha256, range) => copy.open(sha256, range),
    close: () => copy.close(),
  }
}

onEachExportStore((name, open) => {
  exportStoreContract(`local copy of ${name}`, async () => copyOf(await open()))
})
