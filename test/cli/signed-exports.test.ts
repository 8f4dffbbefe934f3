import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { CatalogRun } from '../support/catalog-command.js'
import { fileOf, line } from '../support/import-input.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { runInProcess, withStoresOf } from '../support/run-catalog.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers, untilQueue } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function newKeyFile(): string {
  const path = join(temporaryFolder(), 'catalog.key')
  writeFileSync(path, newMinisignKey().secretKeyFile, { mode: 0o600 })
  return path
}

const importOf = (repo: string) => ['import', fileOf('skills.ndjson', line(repo)), '--type', 'skills']

/** Commands with and without a key; the last ones put nothing in the place of what the first ones have signed. */
async function sign(run: (args: string[], env?: Record<string, string>) => Promise<CatalogRun>): Promise<CatalogRun> {
  const key = { SIGNING_KEY_FILE: newKeyFile() }
  expect((await run(importOf('printer'), key)).stdout).toContain('Export files: 9 files')
  for (const command of ['export', 'dataset']) {
    expect(await run([command, '--local'], key)).toMatchObject({ status: 0 })
    const refused = await run([command, '--local'])
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('Set SIGNING_KEY_FILE')])
  }
  const left = await run(importOf('scanner'))
  expect([left.status, left.stdout]).toEqual([0, expect.stringContaining('1 added')])
  expect(left.stdout).not.toContain('Export files')
  return left
}

test('a command without the key leaves signed files as they are', async () => {
  const folder = temporaryFolder()

  const left = await sign((args, env = {}) => runInProcess({ DATA_DIR: folder, ...env }, args, ''))

  expect(left.stderr).toContain('the service writes the new ones when they are due')
  const [[newest], [dataset]] = await withStoresOf(folder, ({ exports, datasets }) =>
    Promise.all([exports.snapshots(), datasets.snapshots()]),
  )
  expect([newest?.manifest?.signature, dataset?.manifest?.signature]).toEqual([expect.any(String), expect.any(String)])
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis('on servers it asks an indexer for the new ones', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)

      const left = await sign((args, more = {}) => runOnServers({ ...env, ...more }, args))

      expect(left.stderr).toContain('an indexer writes the new ones')
      await untilQueue(env, 'write-exports', async (queue) => (await queue.getWaitingCount()) === 1)
    })
  })
})
