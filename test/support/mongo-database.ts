import { randomUUID } from 'node:crypto'
import { afterAll } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { type DocumentSettings, defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { knownServer } from './shared-servers.js'

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
  return new MongoCatalog(connection, settings)
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
