import { afterEach } from '@jest/globals'
import { type Collection, type Db, MongoClient } from 'mongodb'
import { emptyCatalog } from '../../support/servers-catalog.js'
import { type OpenedCatalog, openCatalog } from './with-catalog.js'

/** Jobs run by tests do not use it. */
const noRedis = 'redis://127.0.0.1:1'

/** A catalog on servers, with a crawler that writes into its database. */
export interface CrawledCatalog extends OpenedCatalog {
  /** The configuration of the catalog. */
  env: Record<string, string>
  /** The collection of skills, as the crawler sees it. */
  skills: Collection
  /** The database, as the crawler sees it. */
  db: Db
}

/** Opens an empty catalog, closed when the test ends. */
export async function crawledCatalog(mongodb: string, meilisearch: string): Promise<CrawledCatalog> {
  const env = await emptyCatalog(mongodb, meilisearch, noRedis)
  const catalog = await openCatalog(env)
  opened.push(catalog)
  const crawler = await MongoClient.connect(env.MONGODB_URL)
  opened.push(crawler)
  return { ...catalog, env, db: crawler.db(), skills: crawler.db().collection('skills') }
}

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.close()
  }
})
