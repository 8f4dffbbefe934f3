import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { catalogContract } from './catalog.js'

whenServer('mongodb', (url) => {
  catalogContract('mongodb', () => openMongoCatalog(freshDatabase(url())))
})
