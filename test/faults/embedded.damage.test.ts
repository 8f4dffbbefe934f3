import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { aSkill } from '../support/factories.js'
import { runCatalog, runCatalogProcess, withStoresOf } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { inFolder } from './support/published-catalog.js'
import { watchApi } from './support/watch-api.js'

/**
 * Overwrites pages of a file of the data folder, like a failing disk. No process may have it open.
 *
 * @param tables a GLOB pattern for the names of the tables and indexes whose pages are overwritten
 */
function damage(dataDir: string, file: string, tables: string): void {
  const path = join(dataDir, file)
  const db = new SqliteDatabase(path)
  // Else the write-ahead log would restore the overwritten pages.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pageSize = Number(db.get('PRAGMA page_size')?.['page_size'])
  const pages = db.all<{ pageno: number }>('SELECT pageno FROM dbstat WHERE name GLOB ?', [tables])
  db.close()
  const places = pages.map(({ pageno }) => (pageno - 1) * pageSize)
  // In another process: closing a file releases all locks of this process on it, also those of SQLite.
  execFileSync(process.execPath, ['--eval', overwrite, path, String(pageSize), JSON.stringify(places)])
}

const overwrite = `
  const { closeSync, openSync, writeSync } = require('node:fs')
  const [path, pageSize, places] = process.argv.slice(1)
  const file = openSync(path, 'r+')
  for (const place of JSON.parse(places)) {
    writeSync(file, Buffer.alloc(Number(pageSize), 0xa5), 0, Number(pageSize), place)
  }
  closeSync(file)
`

const messages = {
  index: /search index in .* is damaged. Run npm run catalog -- rebuild/,
  records: /is damaged. Restore/,
}

/** A folder with an up-to-date catalog that no process has open. */
let sound: string
beforeAll(async () => {
  sound = temporaryFolder()
  await withStoresOf(sound, ({ catalog }) =>
    catalog.put(
      'skills',
      Array.from({ length: 300 }, (_, n) => aSkill({ repo: `tool-${n}`, description: 'One of many' })),
    ),
  )
  for (const command of ['sync', 'export']) {
    expect((await runCatalog(sound, [command])).status).toBe(0)
  }
})

function aFolder(): string {
  const folder = temporaryFolder()
  cpSync(sound, folder, { recursive: true })
  return folder
}

describe('a damaged database file', () => {
  test.each(['*documents*', '*'])(
    'in its index (%s): searches report it, all else is answered, and catalog rebuild builds it again',
    async (tables) => {
      const folder = aFolder()
      damage(folder, 'search-1.db', tables)
      const service = nodeStart({ ...inFolder(folder), SYNC_EVERY_SECONDS: '3600', TRUSTED_PROXIES: '1' })
      const url = await started(service)
      const watch = watchApi(url)

      expect((await fetch(`${url}/api/v1/skills/search?q=many`)).status).toBe(503)
      expect((await fetch(`${url}/api/skills?limit=100`)).status).toBe(200)
      await service.says('npm run catalog -- rebuild')
      const rebuilt = await runCatalogProcess(folder, ['rebuild'])

      expect([rebuilt.status, rebuilt.stderr]).toEqual([0, ''])
      const found = await fetch(`${url}/api/v1/skills/search?q=many&limit=1`)
      expect(await found.json()).toMatchObject({ pagination: { total: 300 } })
      expect((await watch.stop()).faults).toEqual([])
      service.signal('SIGTERM')
      await service.ended
      expect(await expectInvariant(inFolder(folder))).toMatchObject({ compared: 300 })
      expect((await runCatalog(folder, ['rebuild'])).status).toBe(0)
    },
  )

  test('in its index: a command that fails reports what to do', async () => {
    const folder = aFolder()
    damage(folder, 'search-1.db', '*documents*')

    expect(await runCatalog(folder, ['verify'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(messages.index),
    })
  })

  test('in its records: every command reports it and changes nothing', async () => {
    const folder = aFolder()
    damage(folder, 'catalog.db', 'skills')

    for (const command of ['verify', 'rebuild', 'export']) {
      const run = await runCatalog(folder, [command])
      expect([command, run]).toMatchObject([command, { status: 2, stderr: expect.stringMatching(messages.records) }])
    }
    // The data derived from the records is unchanged.
    await withStoresOf(folder, async ({ index, exports }) => {
      expect(await index.status()).toMatchObject({ documents: 300 })
      expect(await exports.snapshots()).toHaveLength(1)
    })
  })

  test('in its records: the service does not start, or answers 503 for unreadable records, and nothing wrong', async () => {
    const folder = aFolder()
    damage(folder, 'catalog.db', 'skills')
    const service = nodeStart({ ...inFolder(folder), LOG_LEVEL: 'error' })
    const url = await Promise.race([started(service), service.ended])
    // The greeting may or may not read the damaged pages.
    if (typeof url === 'string') {
      const answer = await fetch(`${url}/api/skills/acme/tool-1`)
      expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'catalog_unavailable' }])
    } else {
      expect([url, service.stderr()]).toEqual([2, expect.stringMatching(messages.records)])
    }
  })
})
