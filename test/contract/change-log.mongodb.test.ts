import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { whenServer } from '../support/servers.js'
import { changeLogContract } from './change-log.js'

whenServer('mongodb', (url) => {
  changeLogContract('mongodb', async () => ({ ...(await openCrawledCatalog(url())), close: async () => undefined }))
})
