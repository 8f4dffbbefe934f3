import { openMongoCatalog } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { catalogStoreContract } from './catalog-store.js'

whenServer('mongodb', (url) => {
  catalogStoreContract('mongodb', () => openMongoCatalog(freshDatabase(url())))
})
