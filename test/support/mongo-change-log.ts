import type { Db } from 'mongodb'
import { MongoChangeLog } from '../../shared/adapters/servers/mongo/change-log/change-log.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'

/** Opens the change log at this URL as the indexer does. */
export async function openMongoChangeLog(
  url: string,
): Promise<{ changes: MongoChangeLog; db: Db; close: () => Promise<void> }> {
  const { client, db } = await connectMongo(url)
  await ensureIndexes(db, defaultDocumentSettings.changedField)
  return { changes: new MongoChangeLog(db), db, close: () => client.close() }
}
