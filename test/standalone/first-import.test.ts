import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { recordHistory } from '../../services/indexer/jobs/record-history.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { stateKeys } from '../../shared/state-keys.js'
import { expectFilesOnRequest } from '../support/first-download.js'
import { emptyDataFolder, runCatalog, runCatalogProcess, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const settings = { SAMPLE_CATALOG: 'off', LOG_LEVEL: 'error', EXPORT_RATE_LIMIT_PER_MINUTE: '10000' }

function inputOf(count: number): string {
  const path = join(temporaryFolder(), 'skills.ndjson')
  writeFileSync(path, Array.from({ length: count }, (_, n) => `{"full_name":"acme/tool-${n}"}\n`).join(''))
  return path
}

/** Waits until the service has run its first jobs, on the empty catalog. */
async function rest(folder: string): Promise<void> {
  await withStoresOf(folder, async ({ catalog }) => {
    for (const { name } of [writeDataset, recordHistory]) {
      await until(async () => (await catalog.readState(stateKeys.job(name))) !== null)
    }
  })
}

// The schedule of the exports is paused, and a download starts a run. The others were made of the empty catalog before.
test('an empty catalog has files for the first download, and dataset, history and sitemap for the first import', async () => {
  const folder = await emptyDataFolder()
  expect((await runInProcess({ DATA_DIR: folder }, ['jobs', 'pause', 'write-exports'], '')).status).toBe(0)
  const service = nodeStart({ ...settings, DATA_DIR: folder })
  const url = await started(service)
  await expectFilesOnRequest(service)
  await rest(folder)

  expect((await runCatalogProcess(folder, ['import', inputOf(7), '--type', 'skills'])).status).toBe(0)

  await withStoresOf(folder, async ({ datasets, catalog }) => {
    const [dataset] = await datasets.snapshots()
    expect(dataset?.files.find(({ type }) => type === 'skills')).toMatchObject({ count: 7 })
    expect(await catalog.readState(stateKeys.catalogHistory)).toMatchObject([{ skills: 7 }])
    expect(await catalog.readState(stateKeys.job('divide-sitemap'))).toMatchObject({ result: { skills: 7 } })
  })
  const answer = await fetch(`${url}/api/v1/stats/history`)
  expect(await answer.json()).toMatchObject({ data: [{ skills: 7 }] })

  // Later imports leave them to their schedules.
  const again = await runCatalog(folder, ['import', inputOf(9), '--type', 'skills', '--json'])
  expect(again.json).toMatchObject({ added: 2, stats: expect.not.objectContaining({ firstRecords: true }) })
})

test('search asks the service of its own folder', async () => {
  const folder = await emptyDataFolder()
  expect((await runCatalog(folder, ['import', inputOf(1), '--type', 'skills'])).status).toBe(0)
  await started(nodeStart({ ...settings, DATA_DIR: folder }))

  const own = await runInProcess({ DATA_DIR: folder, PORT: '9' }, ['search', 'tool', '--json'], '')
  const none = await runInProcess({ DATA_DIR: temporaryFolder(), PORT: '9' }, ['search', 'tool'], '')

  expect(own.json).toMatchObject({ status: 0, data: [{ id: 'acme/tool-0' }] })
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:9 does not answer')])
})

test('a service that ends during a job leaves no finding', async () => {
  const folder = await emptyDataFolder()
  expect((await runCatalog(folder, ['import', inputOf(5_000), '--type', 'skills', '--no-update'])).status).toBe(0)
  const service = nodeStart({ ...settings, DATA_DIR: folder })
  await started(service)

  // The index of all skills is being built.
  service.signal('SIGTERM')
  await service.ended

  const { json } = await runCatalog(folder, ['doctor', '--json'])
  const checks = json['checks'] as { name: string; state: string }[]
  expect(checks.filter(({ name, state }) => name.startsWith('job ') && state === 'finding')).toEqual([])
})
