import { type Collection, type Db, MongoClient } from 'mongodb'
import { afterTest } from '../../support/after-test.js'
import { emptyCatalog, type ServersEnvironment } from '../../support/servers-catalog.js'
import { type OpenedCatalog, openCatalog } from './with-catalog.js'

/** A catalog on servers, with its configuration. */
export interface OwnCatalog extends OpenedCatalog {
  env: ServersEnvironment
}

/** The same with a crawler that writes into its database. */
export interface CrawledCatalog extends OwnCatalog {
  /** The collection of skills, as the crawler sees it. */
  skills: Collection
  /** The database, as the crawler sees it. */
  db: Db
}

/**
 * Opens an empty catalog, closed when the test ends.
 *
 * @param way the address at which it reaches Meilisearch; default: its own
 */
export async function ownCatalog(mongodb: string, meilisearch: string, way = meilisearch): Promise<OwnCatalog> {
  // Jobs run by tests use no Redis.
  const env = await emptyCatalog(mongodb, meilisearch, 'redis://127.0.0.1:1')
  const catalog = await openCatalog({ ...env, MEILI_URL: way })
  afterTest(() => catalog.close())
  return { ...catalog, env }
}

/** Opens an empty catalog and its database, closed when the test ends. */
export async function crawledCatalog(mongodb: string, meilisearch: string): Promise<CrawledCatalog> {
  const catalog = await ownCatalog(mongodb, meilisearch)
  const crawler = await MongoClient.connect(catalog.env.MONGODB_URL)
  afterTest(() => crawler.close())
  return { ...catalog, db: crawler.db(), skills: crawler.db().collection('skills') }
}
