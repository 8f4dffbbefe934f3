import { openMongoChangeLog } from '../support/mongo-change-log.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { changeLogContract } from './change-log.js'

whenServer('mongodb', (url) => {
  changeLogContract('mongodb', () => openMongoChangeLog(freshDatabase(url())))
})
