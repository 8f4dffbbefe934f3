import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { fileOf, line } from '../support/import-input.js'
import { freePort } from '../support/local-server.js'
import { runCatalog, runCatalogProcess } from '../support/run-catalog.js'
import { endServices, nodeStart, started } from '../support/service-process.js'
import { fillDisk, testOnSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { inFolder } from './support/published-catalog.js'
import { watchApi } from './support/watch-api.js'

const environment = (folder: string) => ({ ...inFolder(folder), TRUSTED_PROXIES: '1' })

const lines = (from: number, to: number, text = '') =>
  Array.from({ length: to - from }, (_, n) => line(`tool-${from + n}`, { description: `${n} ${text}` })).join('')

/** What `status` and `doctor` say of the disk. */
async function diskOf(folder: string) {
  const status = await runCatalog(folder, ['status', '--json'])
  const text = await runCatalog(folder, ['status'])
  const doctor = await runCatalog(folder, ['doctor', '--json'])
  const checks = doctor.json['checks'] as { name: string; detail: string; remedy?: string }[]
  return {
    dependency: Object(status.json['dependencies']).disk,
    line: text.stdout.split('\n').find((each) => each.startsWith('disk ')),
    full: checks.filter(({ name, detail }) => name === 'disk' && detail.includes('full: nothing can be written')),
  }
}

/** Whether all changes are indexed, and no job has failed in its last run. */
async function isAtRest(folder: string): Promise<boolean> {
  const { json } = await runCatalog(folder, ['status', '--json'])
  const jobs = json['jobs'] as { lastRun: { outcome: string } | null }[]
  return Object(json['pending']).count === 0 && jobs.every(({ lastRun }) => lastRun?.outcome !== 'failed')
}

describe('one folder', () => {
  testOnSmallDisk(
    'on a full disk is served, a command reports what to do, and all work continues with free space',
    async ({ folder, remount }) => {
      remount('size=192m')
      const data = join(folder, 'data')
      const env = environment(data)
      expect((await runCatalogProcess(data, ['import', '-', '--type', 'skills'], lines(0, 100))).status).toBe(0)
      const metricsPort = await freePort()
      const service = nodeStart({ ...env, METRICS_PORT: String(metricsPort) })
      const watch = watchApi(await started(service))
      const freeBytes = async () => {
        const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
        return Number(/^catalog_disk_free_bytes (\S+)$/m.exec(page)?.[1])
      }
      expect(await diskOf(data)).toEqual({ dependency: 'up', line: expect.not.stringContaining('full'), full: [] })
      expect(await freeBytes()).toBeGreaterThan(100_000_000)
      const more = fileOf('more.ndjson', lines(100, 4_100, 'many words '.repeat(40)))
      fillDisk(join(folder, 'filler'))

      const full = await runCatalogProcess(data, ['import', more, '--type', 'skills'])

      expect([full.status, full.stderr]).toEqual([
        2,
        expect.stringMatching(/There is no room left for .*What was written before stays; free some space/),
      ])
      expect(await diskOf(data)).toEqual({
        dependency: 'down',
        line: expect.stringMatching(/^disk +.* free; full: nothing can be written until some space is free$/),
        full: [expect.objectContaining({ remedy: expect.stringContaining('Free some space on the disk') })],
      })
      expect(await freeBytes()).toBeLessThan(1_000_000)

      rmSync(join(folder, 'filler'))
      expect(await diskOf(data)).toMatchObject({ dependency: 'up', full: [] })
      // The service takes up its jobs by itself.
      while (!(await isAtRest(data))) {
        await sleep(500)
      }
      const again = await runCatalogProcess(data, ['import', more, '--type', 'skills', '--json'])
      expect(again.json).toMatchObject({ status: 0, read: 4_000, rejected: 0, changed: 0 })
      expect((await watch.stop()).faults).toEqual([])
      await endServices(service)
      expect(await expectInvariant(env)).toMatchObject({ compared: 4_100 })
    },
  )

  testOnSmallDisk(
    'on a full disk, without a service: status and doctor report the disk',
    async ({ folder, remount }) => {
      remount('size=8m')
      const data = join(folder, 'data')
      await runCatalogProcess(data, ['import', '-', '--type', 'skills', '--no-update'], lines(0, 1))
      fillDisk(join(folder, 'filler'))

      const { status, json } = await runCatalogProcess(data, ['status', '--json'])
      const doctor = await runCatalogProcess(data, ['doctor', '--json'])

      expect([status, json['error']]).toMatchObject([2, { code: 'disk_full' }])
      expect(doctor.json['checks']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'disk', state: 'finding' }),
          expect.objectContaining({ name: 'format', state: 'unchecked' }),
        ]),
      )
    },
  )

  test('written by several processes at once, next to a service, loses nothing', async () => {
    const folder = temporaryFolder()
    const service = nodeStart(environment(folder))
    const watch = watchApi(await started(service))

    const imports = await Promise.all([
      runCatalogProcess(folder, ['import', '-', '--type', 'skills', '--json'], lines(0, 1_500)),
      runCatalogProcess(folder, ['seed', '--skills', '500', '--json']),
      runCatalogProcess(folder, ['rebuild', '--json']),
      runCatalogProcess(folder, ['sync', '--json']),
      runCatalogProcess(folder, ['export', '--json']),
    ])

    // Each succeeds, or reports that another process runs the job.
    for (const { status, json } of imports) {
      const code = (json['error'] as { code?: string } | undefined)?.code
      expect([status, code]).toEqual(
        status === 2 ? [2, expect.stringMatching(/^(job|import)_running$/)] : [0, undefined],
      )
    }
    expect((await watch.stop()).faults).toEqual([])
    await endServices(service)
    await expectInvariant(environment(folder))
  })
})
