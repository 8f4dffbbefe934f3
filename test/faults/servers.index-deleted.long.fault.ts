import { expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { meiliKey } from '../support/servers.js'
import { expectInvariant } from './support/invariant.js'
import { setStage, testOnOwnServers } from './support/stage.js'
import { watchApi } from './support/watch-api.js'

testOnOwnServers('25. Index deleted externally: rebuild', async () => {
  const stage = await setStage()
  const { query, meilisearch, untilFound } = stage
  const client = new Meilisearch({ host: meilisearch.url, apiKey: meiliKey })
  const watch = watchApi(query.url())

  await client.deleteIndex('skills').waitTask()

  // Found by a run of the job that has no work, which is once a minute.
  await untilFound('early', ['acme/first', 'acme/second'])
  expect((await watch.stop()).faults).toEqual([])
  await stage.end()
  expect(await expectInvariant(stage.env)).toMatchObject({ compared: 2 })
})
