import { afterAll } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { FileExportStore } from '../../shared/adapters/embedded/exports/file-export-store.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { freshDatabase } from './mongo-database.js'
import { whenServer } from './servers.js'
import { temporaryFolder } from './temporary-folder.js'
import { silentLog } from './test-log.js'

/**
 * Defines the same tests for the export store of each mode.
 *
 * @param define defines them; `open` returns an empty store
 */
export function onEachExportStore(define: (name: string, open: () => Promise<ExportStore>) => void): void {
  define('files', () => FileExportStore.open(temporaryFolder(), silentLog()))
  whenServer('mongodb', (url) => {
    let client: MongoClient | undefined
    afterAll(() => client?.close())
    define('gridfs', async () => {
      client ??= await MongoClient.connect(url())
      return new GridFsExportStore({ db: client.db(new URL(freshDatabase(url())).pathname.slice(1)), log: silentLog() })
    })
  })
}
