import { afterAll } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import { GridFsExportStore } from '../../shared/adapters/servers/gridfs-export-store.js'
import { whenServer } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { exportStoreContract } from './export-store.js'

exportStoreContract('files', () => FileExportStore.open(temporaryFolder(), silentLog()))

whenServer('mongodb', (url) => {
  let client: MongoClient | undefined
  afterAll(() => client?.close())
  exportStoreContract('gridfs', async () => {
    client ??= await MongoClient.connect(url())
    const db = client.db('test-export-contract')
    await db.dropDatabase()
    return new GridFsExportStore({ db, log: silentLog() })
  })
})
