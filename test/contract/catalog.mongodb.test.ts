import { emptyMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { catalogContract } from './catalog.js'

whenServer('mongodb', (url) => {
  catalogContract('mongodb', () => emptyMongoCatalog(url()))
})
