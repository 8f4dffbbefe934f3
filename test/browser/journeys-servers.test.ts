import { afterAll, beforeAll } from '@jest/globals'
import { recordsWith } from '../equality/catalog.js'
import { type ServedMode, serveServers } from '../equality/two-modes.js'
import { whenBrowser } from '../support/browser.js'
import { whenServer } from '../support/servers.js'
import { journeys } from './journeys.js'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      whenBrowser((open) => {
        let served: ServedMode | undefined
        beforeAll(async () => {
          const urls = { mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }
          served = await serveServers(urls, recordsWith(0))
        }, 300_000)
        afterAll(() => served?.close())

        journeys(open, () => String(served?.url))
      })
    })
  })
})
