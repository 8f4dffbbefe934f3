import { afterEach } from '@jest/globals'
import { type Collection, type Db, MongoClient } from 'mongodb'
import type { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import type { SkillChanges, SkillFilters } from '../../shared/ports/catalog-store.js'
import type { Skill } from '../../shared/records/skill.js'
import { freshDatabase, openMongoCatalog } from './mongo-database.js'

/** A catalog in MongoDB into whose database others write. */
export interface CrawledCatalog {
  catalog: MongoCatalogStore
  address: string
  /** The same database, as a crawler sees it. */
  db: Db
  /** The collection of skills, as a crawler sees it. */
  skills: Collection
  /** The skills that the catalog lists, by name. */
  listed(filters?: SkillFilters): Promise<Skill[]>
  /** What is told from here on, as a sync would hear it. */
  follow(): Promise<() => Promise<SkillChanges['changes']>>
}

/** Opens a catalog in a fresh database of this server, closed when the test ends. */
export async function openCrawledCatalog(url: string): Promise<CrawledCatalog> {
  const address = freshDatabase(url)
  const catalog = await openMongoCatalog(address)
  opened.push(catalog)
  const crawler = await MongoClient.connect(address)
  opened.push(crawler)
  const db = crawler.db()
  const listed: CrawledCatalog['listed'] = async (filters = {}) =>
    (await catalog.listSkills({ filters, sort: 'name', order: 'asc', limit: 100 })).skills
  async function follow() {
    let watermark: string | null = null
    const next = async () => {
      const stretch = await catalog.changesAfter(watermark, 100)
      watermark = stretch.watermark
      return stretch.changes
    }
    await next()
    return next
  }
  return { catalog, address, db, skills: db.collection('skills'), listed, follow }
}

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.close()
  }
})
