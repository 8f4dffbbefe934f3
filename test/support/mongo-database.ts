import { randomUUID } from 'node:crypto'
import { afterAll } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import { catalogIn, type MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { connectMongo, type MongoConnection } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { type DocumentSettings, defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { knownServer } from './servers.js'
import { withOverrides } from './with-overrides.js'

/** The URL of a new database on this server; it is dropped after the test file. */
export function freshDatabase(url: string): string {
  const [, options] = url.split('?')
  const fresh = `${hostsOf(url)}/test-${randomUUID()}${options === undefined ? '' : `?${options}`}`
  made.push(fresh)
  return fresh
}

/** Opens the catalog at this URL as the indexer does. */
export async function openMongoCatalog(
  url: string,
  settings: DocumentSettings = defaultDocumentSettings,
): Promise<MongoCatalog> {
  const connection = await connectMongo(url)
  try {
    await ensureIndexes(connection.db, settings.changedField)
  } catch (error) {
    await connection.client.close()
    throw error
  }
  return catalogIn(connection, settings)
}

let shared: MongoConnection | undefined
afterAll(() => shared?.client.close())

/**
 * A catalog without records, in one database for all tests of a file. It ends with the file; `close` does nothing.
 *
 * @param url of the server
 */
export async function emptyMongoCatalog(url: string): Promise<MongoCatalog> {
  if (shared === undefined) {
    shared = await connectMongo(freshDatabase(url))
    await ensureIndexes(shared.db, defaultDocumentSettings.changedField)
  } else {
    await emptyCollections(shared.db)
  }
  const catalog = catalogIn(shared, defaultDocumentSettings)
  return withOverrides(catalog, { close: () => catalog.documents.close() })
}

/** Deletes all documents, and keeps the indexes, which take longer to create than most tests take. */
export async function emptyCollections(db: Db): Promise<void> {
  for (const collection of await db.collections()) {
    await collection.deleteMany()
  }
}

/** The part of a URL that names the server. */
const hostsOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/?]+/.exec(url)?.[0] ?? url

const made: string[] = []

afterAll(async () => {
  const lasting = [process.env['MONGODB_URL'], knownServer('mongodb')].filter((url) => url !== undefined)
  // A dedicated server has ended by now, with its databases.
  for (const url of made.filter((each) => lasting.some((server) => hostsOf(server) === hostsOf(each)))) {
    const client = await MongoClient.connect(url)
    await client.db().dropDatabase()
    await client.close()
  }
})
