import { afterAll, beforeAll, describe } from '@jest/globals'
import { conventions } from '../endpoints/conventions.js'
import { whenServer } from '../support/servers.js'
import { answers } from './answers.js'
import { recordsWith } from './catalog.js'
import { datasetFiles } from './dataset-files.js'
import { mcpCalls } from './mcp-calls.js'
import { type ServedMode, serveRecords } from './two-modes.js'

/** More than the 1,000 hits that searches count to. */
const records = recordsWith(1_000)

let embedded: ServedMode
let servers: ServedMode
beforeAll(async () => {
  embedded = await serveRecords(null, records)
}, 180_000)
afterAll(() => embedded?.close())

describe('embedded', () => conventions(() => embedded))

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      beforeAll(async () => {
        servers = await serveRecords({ mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }, records)
      }, 180_000)
      afterAll(() => servers?.close())
      const modes = () => [embedded, servers]

      describe('servers', () => conventions(() => servers, false))
      answers(modes)
      mcpCalls(modes)
      datasetFiles(modes)
    })
  })
})
