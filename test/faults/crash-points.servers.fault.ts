import { describe, test } from '@jest/globals'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { crashes, prepare, showCrash, skillsIn } from './support/show-crash.js'

/** A busy machine takes its time; what takes longer than this will never come. */
const timeoutMs = 300_000

/** Jobs run in this process, or with `--local`, do not use it. */
const noRedis = 'redis://127.0.0.1:1'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    describe('on servers', () => {
      test.each(crashes)(
        '$title',
        async ({ point, crash }) => {
          const env = await emptyCatalog(mongodb(), meilisearch(), noRedis)
          await prepare(env, skillsIn.servers)
          await showCrash(point, crash, env, skillsIn.servers)
        },
        timeoutMs,
      )
    })
  })
})
