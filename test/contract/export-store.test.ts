import { randomUUID } from 'node:crypto'
import { afterAll } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import { GridFsExportStore } from '../../shared/adapters/servers/gridfs-export-store.js'
import { whenServer } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { exportStoreContract } from './export-store.js'

exportStoreContract('files', () => FileExportStore.open(temporaryFolder(), silentLog()))

whenServer('mongodb', (url) => {
  let client: MongoClient | undefined
  const databases: Db[] = []
  afterAll(async () => {
    await Promise.all(databases.map((db) => db.dropDatabase()))
    await client?.close()
  })
  exportStoreContract('gridfs', async () => {
    client ??= await MongoClient.connect(url())
    const db = client.db(`test-${randomUUID()}`)
    databases.push(db)
    return new GridFsExportStore({ db, log: silentLog() })
  })
})
