import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { catalogStoreContract } from './catalog-store.js'

whenServer('mongodb', (url) => {
  catalogStoreContract('mongodb', () => openMongoCatalog(freshDatabase(url())))
})
