import { Meilisearch } from 'meilisearch'
import { type Collection, type Db, MongoClient } from 'mongodb'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { afterTest } from '../../support/after-test.js'
import type { HttpRelay } from '../../support/http-relay.js'
import { startHttpRelay } from '../../support/relays.js'
import { meiliKey } from '../../support/servers.js'
import { emptyCatalog, type ServersEnvironment } from '../../support/servers-catalog.js'
import { type OpenedCatalog, openCatalog } from './with-catalog.js'

/** A catalog on servers, with its configuration. */
interface OwnCatalog extends OpenedCatalog {
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
async function ownCatalog(mongodb: string, meilisearch: string, way = meilisearch): Promise<OwnCatalog> {
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

/** A catalog on servers whose jobs, run in this process, reach Meilisearch through a relay only. */
export interface RelayedCatalog extends Pick<OwnCatalog, 'env' | 'run' | 'sync'> {
  relay: HttpRelay
  /** Meilisearch itself. */
  client: Meilisearch
  put(...skills: StoredSkill[]): Promise<void>
  /** The sequence up to which the index is known to hold what changed. */
  position(): Promise<number | null>
}

/**
 * Opens an empty catalog, closed when the test ends.
 *
 * @param skills are in it, and in the index
 */
export async function relayedCatalog(
  mongodb: string,
  meilisearch: string,
  skills: StoredSkill[] = [],
): Promise<RelayedCatalog> {
  const relay = await startHttpRelay(meilisearch)
  const { env, catalog, run, sync } = await ownCatalog(mongodb, meilisearch, relay.url)
  await catalog.put('skills', skills)
  await sync()
  relay.requests.length = 0
  return {
    env,
    relay,
    client: new Meilisearch({ host: meilisearch, apiKey: meiliKey }),
    put: async (...more) => void (await catalog.put('skills', more)),
    run,
    sync,
    position: () => catalog.readState<number>(stateKeys.syncPosition),
  }
}
