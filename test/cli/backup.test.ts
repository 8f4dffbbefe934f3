import { copyFileSync, cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import Database from 'libsql'
import { aSkill } from '../support/factories.js'
import { runCatalog, runCatalogProcess, runInProcess, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { testOnSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'

let folder: string
let file: string

const putSkills = (...repos: string[]) =>
  withStoresOf(folder, ({ catalog }) =>
    catalog.put(
      'skills',
      repos.map((repo) => aSkill({ repo })),
    ),
  )
const skillsOf = (dataDir: string) =>
  withStoresOf(dataDir, async ({ catalog }) => (await catalog.scanSkills(null, 100)).map(({ repo }) => repo))

beforeEach(async () => {
  folder = temporaryFolder()
  file = join(temporaryFolder(), 'copy.db')
  await putSkills('first', 'second')
})

describe('catalog backup', () => {
  test('copies the records while a service runs and an import writes; the file alone is one when that is stopped', async () => {
    const service = nodeStart({ DATA_DIR: folder, SAMPLE_CATALOG: 'off' })
    const url = await started(service)
    const input = join(temporaryFolder(), 'more.ndjson')
    writeFileSync(input, Array.from({ length: 3_000 }, (_, n) => `{"full_name":"acme/more-${n}"}\n`).join(''))

    const importing = startCatalog(folder, ['import', input, '--type', 'skills', '--json'])
    const { status, json } = await runCatalogProcess(folder, ['backup', file, '--json'])

    expect((await importing.ended).json).toMatchObject({ added: 3_000 })
    expect([status, json]).toMatchObject([0, { file, skills: expect.any(Number) }])
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const db = new Database(file)
    expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
    db.close()
    expect(await runCatalog(folder, ['restore', file])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('A service runs on the folder'),
    })
    expect((await fetch(`${url}/api/skills/acme/first`)).status).toBe(200)

    service.signal('SIGTERM')
    await service.ended
    const [target, alone] = [temporaryFolder(), join(temporaryFolder(), 'alone.db')]
    copyFileSync(join(folder, 'catalog.db'), alone)
    expect((await runCatalog(target, ['restore', alone])).status).toBe(0)
    const restored = await withStoresOf(target, ({ catalog }) => catalog.listIds('skills', null, 5_000))
    expect(restored).toHaveLength(3_002)
    expect(restored).toEqual(expect.arrayContaining(['acme/first', 'acme/more-2999', 'acme/second']))
  })

  test('replaces no file, and reports what cannot be written', async () => {
    writeFileSync(file, 'of last night')

    const existing = await runCatalog(folder, ['backup', file])
    const inFile = await runCatalog(folder, ['backup', join(file, 'copy.db')])
    const nowhere = await runCatalog(folder, ['backup', join(folder, 'missing', 'copy.db')])
    const refused = await runCatalog(folder, ['backup', '/proc/copy.db'])

    expect([existing.status, existing.stderr]).toEqual([2, expect.stringContaining('exists already')])
    expect(readFileSync(file, 'utf8')).toBe('of last night')
    expect([inFile.status, inFile.stderr]).toEqual([2, expect.stringContaining(`${file} is not a folder`)])
    expect([nowhere.status, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining(`The folder ${join(folder, 'missing')} does not exist.`),
    ])
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('could not be written to /proc/copy.db'),
    ])
    expect(refused.stderr).not.toContain('catalog.db')
  })
})

testOnSmallDisk('backup and restore on a full disk say so, and leave no files', async (disk) => {
  await runCatalog(folder, ['backup', file])
  copyFileSync(file, `${file}.logged`)
  writeFileSync(`${file}.logged-wal`, 'a log')
  disk.remount('size=96k')

  const backup = await runCatalog(folder, ['backup', join(disk.folder, 'copy.db')])
  const left = readdirSync(disk.folder)
  const restored = await runCatalog(disk.folder, ['restore', file])
  const withLog = await runCatalog(disk.folder, ['restore', `${file}.logged`])

  expect([backup.status, backup.stderr]).toEqual([2, expect.stringMatching(/copy\.db \(database or disk is full\)/)])
  expect(left).toEqual([])
  const noRoom = expect.stringContaining(`There is no room left for ${disk.folder}`)
  expect([restored, withLog]).toMatchObject([
    { status: 2, stderr: noRoom },
    { status: 2, stderr: noRoom },
  ])
  expect(readdirSync(disk.folder)).toEqual(['locks'])
})

describe('catalog restore', () => {
  test('over a folder whose service was killed: serves the backup, and keeps the old catalog with its log', async () => {
    expect((await runCatalog(folder, ['backup', file])).status).toBe(0)
    const bytes = readFileSync(file)
    const service = nodeStart({ DATA_DIR: folder, SAMPLE_CATALOG: 'off' })
    await started(service)
    const added = await runCatalogProcess(
      folder,
      ['import', '-', '--type', 'skills', '--format', 'ndjson'],
      '{"full_name":"acme/after"}',
    )
    expect(added.status).toBe(0)
    service.signal('SIGKILL')
    await service.ended

    const { status, json } = await runCatalogProcess(folder, ['restore', file, '--json'])

    expect([status, json]).toMatchObject([0, { skills: 2 }])
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(readdirSync(folder).filter((name) => /^(catalog|search)/.test(name))).toEqual(['catalog.db'])
    const again = nodeStart({ DATA_DIR: folder, SAMPLE_CATALOG: 'off' })
    const url = await started(again)
    expect((await fetch(`${url}/api/skills/acme/first`)).status).toBe(200)
    expect((await fetch(`${url}/api/skills/acme/after`)).status).toBe(404)
    again.signal('SIGTERM')
    await again.ended
    expect((await runCatalogProcess(folder, ['verify', '--json'])).json).toMatchObject({ compared: 2, repaired: 0 })
    expect(await skillsOf(String(json['replaced']))).toEqual(['after', 'first', 'second'])
  })

  test('brings a lost catalog back, and makes a folder', async () => {
    await runCatalog(folder, ['sync'])
    await runCatalog(folder, ['backup', file])
    truncateSync(join(folder, 'catalog.db'))
    const made = join(temporaryFolder(), 'made')

    expect((await runCatalog(folder, ['restore', file])).status).toBe(0)
    expect((await runCatalog(made, ['restore', file])).status).toBe(0)

    expect(await skillsOf(folder)).toEqual(['first', 'second'])
    expect(await skillsOf(made)).toEqual(['first', 'second'])
  })

  test('takes a file together with the log next to it', async () => {
    const killed = temporaryFolder()
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.put('skills', [aSkill({ repo: 'logged' })])
      cpSync(folder, killed, { recursive: true })
    })
    expect(statSync(join(killed, 'catalog.db-wal')).size).toBeGreaterThan(0)
    const target = temporaryFolder()

    expect((await runCatalog(target, ['restore', join(killed, 'catalog.db')])).status).toBe(0)

    expect(await skillsOf(target)).toEqual(['first', 'logged', 'second'])
  })

  test('lets followers of the changes start again: what they have read may be gone', async () => {
    await runCatalog(folder, ['backup', file])
    await putSkills('third')
    const { head, catalog } = await withStoresOf(folder, ({ changes }) => changes.bounds())

    await runCatalog(folder, ['restore', file])
    await putSkills('other')

    const bounds = await withStoresOf(folder, ({ changes }) => changes.bounds())
    expect(bounds.horizon).toBeGreaterThan(head)
    expect(bounds.catalog).toBe(catalog)
  })

  test('lets clients read the changes from the start, in their order', async () => {
    await putSkills('third')
    await runCatalog(folder, ['remove', 'acme/first', '--no-update'])
    await runCatalog(folder, ['backup', file])
    await runCatalog(folder, ['restore', file])
    await putSkills('after')
    const api = await startTestApp({ dataDir: folder })

    const read: string[] = []
    for (let since = 0, more = true; more; ) {
      const { status, body } = await api.get(`/api/v1/changes?limit=1&since=${since}`)
      expect(status).toBe(200)
      const { data, pagination } = body as {
        data: { id: string; change: string }[]
        pagination: { nextSince: number; more: boolean }
      }
      read.push(...data.map(({ id, change }) => `${id} ${change}`))
      since = pagination.nextSince
      more = pagination.more
    }

    expect(read).toEqual([
      'acme/second published',
      'acme/third published',
      'acme/first removed',
      'acme/after published',
    ])
    expect((await runCatalog(folder, ['verify', '--json'])).json).toMatchObject({ compared: 3, repaired: 0 })
  })

  test.each<[string, () => void]>([
    [
      'is damaged',
      () => {
        copyFileSync(join(folder, 'catalog.db'), file)
        writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 8_192), Buffer.alloc(40_000, 7)]))
      },
    ],
    ['is no database', () => writeFileSync(file, 'A report, and longer than the header of a database file would be.')],
    ['is another database', () => new Database(file).exec('CREATE TABLE notes (text)')],
    ['is empty', () => writeFileSync(file, '')],
    ['does not exist', () => undefined],
  ])('refuses a file that %s, and changes nothing', async (_, prepare) => {
    const backedUp = join(temporaryFolder(), 'whole.db')
    await runCatalog(folder, ['backup', backedUp])
    prepare()

    const { status, stderr } = await runCatalog(folder, ['restore', file])

    expect([status, stderr]).toEqual([2, expect.stringMatching(/cannot be restored: .*Nothing was changed/)])
    expect(await skillsOf(folder)).toEqual(['first', 'second'])
  })

  test('leaves the file of an earlier version as that version needs it', async () => {
    await runCatalog(folder, ['backup', file])
    new Database(file).exec('PRAGMA user_version = 8')

    expect((await runCatalog(folder, ['restore', file])).status).toBe(0)

    const db = new Database(join(folder, 'catalog.db'))
    expect(db.prepare('PRAGMA user_version').all([])).toEqual([{ user_version: 8 }])
    expect(db.prepare('PRAGMA journal_mode').all([])).toEqual([{ journal_mode: 'wal' }])
    db.close()
  })

  test('refuses the file of a newer version', async () => {
    await runCatalog(folder, ['backup', file])
    const newer = `${file}.newer`
    copyFileSync(file, newer)
    new Database(newer).exec('PRAGMA user_version = 999')
    expect(await runCatalog(folder, ['restore', newer])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('a newer version has written it (format 999'),
    })
  })
})

test.each(['backup', 'restore'])('catalog %s says what to use on servers', async (command) => {
  const env = {
    MONGODB_URL: 'mongodb://127.0.0.1:9/catalog',
    MEILI_URL: 'http://127.0.0.1:9',
    REDIS_URL: 'redis://127.0.0.1:9',
  }

  const { status, stderr } = await runInProcess(env, [command, file], '')

  expect([status, stderr]).toEqual([2, expect.stringMatching(/mongo(dump|restore)/)])
})
