import { randomUUID } from 'node:crypto'
import { afterAll } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { connectMongo } from '../../shared/adapters/servers/mongo-connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo-indexes.js'
import { type DocumentSettings, defaultDocumentSettings } from '../../shared/document-settings.js'

/** The address of a database of its own on this server; dropped behind the test file where the server outlives it. */
export function freshDatabase(url: string): string {
  const [address = '', options] = url.split('?')
  const server = /^mongodb(?:\+srv)?:\/\/[^/]+/.exec(address)?.[0] ?? address
  const fresh = `${server}/test-${randomUUID()}${options === undefined ? '' : `?${options}`}`
  made.push(fresh)
  return fresh
}

/** Opens the catalog at this address as the indexer does. */
export async function openMongoCatalog(
  url: string,
  settings: DocumentSettings = defaultDocumentSettings,
): Promise<MongoCatalogStore> {
  const connection = await connectMongo(url)
  try {
    await ensureIndexes(connection.db, settings.changedField)
  } catch (error) {
    await connection.client.close()
    throw error
  }
  return new MongoCatalogStore(connection, settings)
}

const made: string[] = []

afterAll(async () => {
  // A server that was started for the tests has ended by now, and taken its databases along.
  for (const url of process.env['MONGODB_URL'] ? made : []) {
    const client = await MongoClient.connect(url)
    await client.db().dropDatabase()
    await client.close()
  }
})
