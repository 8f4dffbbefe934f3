import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { fileOf, line } from '../support/import-input.js'
import { runCatalogProcess } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { testOnSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { watchApi } from './support/watch-api.js'

const environment = (folder: string) => ({
  DATA_DIR: folder,
  CATALOG_MODE: 'embedded',
  SAMPLE_CATALOG: 'off',
  TRUSTED_PROXIES: '1',
})

const lines = (from: number, to: number, text = '') =>
  Array.from({ length: to - from }, (_, n) => line(`tool-${from + n}`, { description: `${n} ${text}` })).join('')

/** Fills the disk with a file. */
function fillUp(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const size of [1_048_576, 4_096, 1]) {
      try {
        for (;;) {
          writeSync(file, Buffer.alloc(size))
        }
      } catch {
        // Smaller pieces may still fit.
      }
    }
  } finally {
    closeSync(file)
  }
}

describe('one folder', () => {
  testOnSmallDisk(
    'on a full disk is served, a command reports what to do, and all work continues with free space',
    async ({ folder, remount }) => {
      remount('size=192m')
      const data = join(folder, 'data')
      const env = environment(data)
      expect((await runCatalogProcess(data, ['import', '-', '--type', 'skills'], lines(0, 100))).status).toBe(0)
      const service = nodeStart(env)
      const watch = watchApi(await started(service))
      const more = fileOf('more.ndjson', lines(100, 4_100, 'many words '.repeat(40)))
      fillUp(join(folder, 'filler'))

      const full = await runCatalogProcess(data, ['import', more, '--type', 'skills'])

      expect([full.status, full.stderr]).toEqual([2, expect.stringContaining('There is no room left for')])
      rmSync(join(folder, 'filler'))
      const again = await runCatalogProcess(data, ['import', more, '--type', 'skills', '--json'])
      expect(again.json).toMatchObject({ status: 0, read: 4_000, rejected: 0, changed: 0 })
      expect((await watch.stop()).faults).toEqual([])
      service.signal('SIGTERM')
      expect(await service.ended).toBe(0)
      expect(await expectInvariant(env)).toMatchObject({ compared: 4_100 })
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
    service.signal('SIGTERM')
    expect(await service.ended).toBe(0)
    await expectInvariant(environment(folder))
  })
})
