import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { emptyDataFolder, runCatalog } from '../support/run-catalog.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { greetingEnd, nodeStart, type ServiceProcess, serviceStart } from '../support/service-process.js'

const pause = ['jobs', 'pause', 'write-exports']
const highLimits = { EXPORT_RATE_LIMIT_PER_MINUTE: '10000', RATE_LIMIT_PER_MINUTE: '10000' }

/** Requests a download: first a 503, then until the files exist whose run it started. */
async function expectFilesOnRequest(query: ServiceProcess): Promise<void> {
  const download = () => fetch(`${query.url()}/api/v1/export?type=skills`)

  const first = await download()
  expect(first.status).toBe(503)
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)

  for (let answer = first; answer.status !== 200; answer = await download()) {
    expect(answer.status).toBe(503)
    await sleep(500)
  }
  expect(await (await download()).json()).toMatchObject({ type: 'skills', total: 0, data: [] })
}

test('in one process, the first download starts a run of the export, even while its schedule is paused', async () => {
  const env = { DATA_DIR: await emptyDataFolder(), SAMPLE_CATALOG: 'off' }
  expect((await runCatalog(env.DATA_DIR, pause)).status).toBe(0)
  const service = nodeStart({ ...env, ...highLimits })
  await service.says(greetingEnd)

  await expectFilesOnRequest(service)
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'the first download starts a run of the export on an indexer, even while its schedule is paused',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        expect((await runOnServers(env, pause)).status).toBe(0)
        const indexer = serviceStart('indexer', env)
        const query = serviceStart('query', { ...env, ...highLimits })
        await Promise.all([indexer.says(greetingEnd), query.says(greetingEnd)])

        await expectFilesOnRequest(query)
      },
    )
  })
})
