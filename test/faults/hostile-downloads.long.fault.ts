import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { aDraft } from '../support/export-drafts.js'
import { inLanes } from '../support/in-lanes.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { nodeStart, type ServiceProcess, serviceStart, started } from '../support/service-process.js'
import { beginDownload } from './support/download.js'
import { expectInvariant } from './support/invariant.js'
import { printResult, statisticsOf, testWithConnections } from './support/process-statistics.js'
import { type Environment, inFolder, publishAll, publishTextIn, putSkills } from './support/published-catalog.js'
import { watchApi } from './support/watch-api.js'

const many = 1_000

/** Longer than the buffers of connections: together the files exceed the memory of a test machine. */
const fileBytes = 16 * 1024 * 1024

const settings = {
  TRUSTED_PROXIES: '1',
  EXPORT_RATE_LIMIT_PER_MINUTE: '100000',
  RATE_LIMIT_PER_MINUTE: '100000',
  EXPORT_EVERY_SECONDS: '31536000',
}

testWithConnections('1,000 parallel exports: memory flat, others answered meanwhile', many, async () => {
  const env = { ...settings, ...inFolder() }
  await putSkills(env, 50)
  await publishAll(env)
  await publishLongFile(env)

  await expectFlat(nodeStart(env), '/api/v1/export?type=skills')
  await expectInvariant(env)
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'on servers, 1,000 parallel exports without a local copy: memory flat',
      async () => {
        const servers = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const env = { ...settings, ...servers }
        await putSkills(env, 50)
        await publishLongFile(env)
        await publishAll(env)

        // Only the newest snapshot is copied.
        await expectFlat(serviceStart('query', env), '/api/v1/exports/20260101T000000000Z/skills.json')
        await expectInvariant(env)
      },
      300_000,
    )
  })
})

async function expectFlat(service: ServiceProcess, path: string): Promise<void> {
  const url = await started(service)
  const api = watchApi(url)
  const before = statisticsOf(service.pid)

  const downloads = await inLanes(many, 100, () => beginDownload(url + path))
  const during = statisticsOf(service.pid)
  expect(new Set(downloads.map(({ status, headers }) => [status, headers['content-length']].join()))).toEqual(
    new Set([`200,${fileBytes}`]),
  )
  for (const { cut } of downloads.slice(20)) {
    cut()
  }
  for (const { digest, headers } of downloads.slice(0, 20)) {
    expect(await digest()).toBe(headers['repr-digest'])
  }

  expect((await api.stop()).faults).toEqual([])
  const { peakMb } = statisticsOf(service.pid)
  printResult(`${during.open - before.open} open at the same time; ${peakMb - before.peakMb} MB for all of them`)
  expect(peakMb - before.peakMb).toBeLessThan(500)
  // Closed downloads leave nothing open; the additional connections to the servers stay.
  while (statisticsOf(service.pid).open - before.open > (during.open - before.open) / 4) {
    await sleep(200)
  }
}

/** Publishes a long file, and the data for the watched paths. */
const publishLongFile = (env: Environment): Promise<unknown> =>
  publishTextIn(env, randomBytes(fileBytes / 2).toString('hex'), [aDraft('{}', { format: 'ndjson' })])
