import { type Collection, type Db, MongoClient } from 'mongodb'
import type { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import type { MongoIngest } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { Ingested } from '../../shared/ports/document-ingest.js'
import type { SkillFilters } from '../../shared/ports/filter-table.js'
import { type Lock, waitForLock } from '../../shared/ports/locks.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { type Skill, skillOf } from '../../shared/records/skill.js'
import { afterTest } from './after-test.js'
import { emptyCollections, freshDatabase, openMongoCatalog } from './mongo-database.js'

/** A catalog in MongoDB whose database another application writes to. */
export interface CrawledCatalog {
  catalog: MongoCatalog
  address: string
  /** The same database, as a crawler sees it. */
  db: Db
  /** The collection of skills, as a crawler sees it. */
  skills: Collection
  /** The skills that the catalog lists, by name. */
  listed(filters?: SkillFilters): Promise<Skill[]>
  changes: ChangeLog
  documents: MongoIngest
  /** Ingests all that is new. */
  ingest(): Promise<Ingested>
  /** Compares all documents with the catalog. */
  compare(): Promise<Ingested>
}

/**
 * Opens a catalog on this server, closed when the test ends.
 *
 * @param known the database; without it the one of all tests of a file, which is emptied
 */
export async function openCrawledCatalog(
  url: string,
  known?: string,
  settings = defaultDocumentSettings,
): Promise<CrawledCatalog> {
  const address = known ?? shared.get(url) ?? freshDatabase(url)
  const crawler = await MongoClient.connect(address)
  afterTest(() => crawler.close())
  const db = crawler.db()
  if (known === undefined) {
    shared.set(url, address)
    await emptyCollections(db)
  }
  const catalog = await openMongoCatalog(address, settings)
  afterTest(() => catalog.close())
  const listed: CrawledCatalog['listed'] = async (filters = {}) =>
    (await catalog.listSkills({ filters, sort: 'name', order: 'asc', limit: 100 })).skills.map(skillOf)
  const { changes, documents } = catalog
  const collected = async (next: (lock: Lock) => Promise<{ batch: Ingested; more: boolean }>): Promise<Ingested> => {
    const all: Ingested = { logged: [], rejected: [] }
    const lock = await waitForLock(catalog, 'ingest', 5_000, new AbortController().signal)
    try {
      for (let isOver = false; !isOver; ) {
        const { batch, more } = await next(lock)
        all.logged.push(...batch.logged)
        all.rejected.push(...batch.rejected)
        isOver = !more
      }
      return all
    } finally {
      await lock.release()
    }
  }
  const ingest = () =>
    collected(async (lock) => {
      const { more, ...batch } = await documents.ingest(lock)
      return { batch, more }
    })
  const compare = async () => {
    const comparison = documents.compare()
    return collected(async (lock) => {
      const batch = await comparison.step(lock)
      return { batch: batch ?? { logged: [], rejected: [] }, more: batch !== null }
    })
  }
  return { catalog, address, db, skills: db.collection('skills'), changes, documents, ingest, compare, listed }
}

/** The database of a server. */
const shared = new Map<string, string>()
