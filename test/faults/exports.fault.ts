import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { serviceStart, started } from '../support/service-process.js'
import { downloadAcrossRebuilds, publishLongFile } from './support/download-across-rebuilds.js'
import { publishAll, putSkills } from './support/published-catalog.js'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis('on servers: a download across 3 rebuilds + resume: sha256 matches', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      await putSkills(env, 50)
      await publishAll(env)
      await publishLongFile(env)

      await downloadAcrossRebuilds(
        env,
        await started(serviceStart('query', { ...env, RATE_LIMIT_PER_MINUTE: '100000' })),
      )
    })
  })
})
