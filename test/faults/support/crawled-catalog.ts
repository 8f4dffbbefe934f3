import { afterEach } from '@jest/globals'
import { type Collection, MongoClient } from 'mongodb'
import { emptyCatalog } from '../../support/servers-catalog.js'
import { type OpenedCatalog, openCatalog } from './with-catalog.js'

/** No job that a test runs itself asks for one. */
const noRedis = 'redis://127.0.0.1:1'

/** A catalog on servers into whose database a crawler writes. */
export interface CrawledCatalog extends OpenedCatalog {
  /** Names it. */
  env: Record<string, string>
  /** The collection of skills, as the crawler sees it. */
  skills: Collection
}

/** Opens an empty catalog, closed when the test ends. */
export async function crawledCatalog(mongodb: string, meilisearch: string): Promise<CrawledCatalog> {
  const env = await emptyCatalog(mongodb, meilisearch, noRedis)
  const catalog = await openCatalog(env)
  opened.push(catalog)
  const crawler = await MongoClient.connect(env.MONGODB_URL)
  opened.push(crawler)
  return { ...catalog, env, skills: crawler.db().collection('skills') }
}

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.close()
  }
})
