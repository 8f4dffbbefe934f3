import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { aLock } from '../support/a-lock.js'
import { aSkill, documentOf, makeSkills } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

const open = (folder: string, writes = true) => openEmbedded(folder, { threads: false, writes, log: silentLog() })

const asRoot = process.getuid?.() === 0
;(asRoot ? test.skip : test)('a folder without permission is reported with a remedy (not as root)', async () => {
  const folder = join(temporaryFolder(), 'closed')
  mkdirSync(folder)
  chmodSync(folder, 0o500)

  await expect(open(folder)).rejects.toMatchObject({ code: 'data_folder_unusable' })
})

test('a folder in a file system without new folders is an error, not an endless loop', async () => {
  await expect(open('/proc/skill-catalog')).rejects.toMatchObject({ code: 'data_folder_unusable' })
})

test('values that would abort the process are refused before they are bound', () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'x.db'))
  for (const value of [true, new Date(), undefined, Number.NaN, Number.POSITIVE_INFINITY, {}, new Uint8Array(1)]) {
    expect(() => db.all('SELECT ?', [value as never])).toThrow(TypeError)
  }
  db.close()
})

test('a failed transaction is rolled back', () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'x.db'))
  db.exec('CREATE TABLE t (a INTEGER)')

  expect(() =>
    db.write(() => {
      db.run('INSERT INTO t VALUES (?)', [1])
      throw new Error('half-way')
    }),
  ).toThrow('half-way')

  expect(db.get('SELECT count(*) AS n FROM t')).toEqual({ n: 0 })
  db.close()
})

test('a blob is read as an ArrayBuffer, of one row as of many', () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'x.db'))
  const bytes = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8])

  const rows = [db.get('SELECT ? AS bytes', [bytes]), ...db.all('SELECT ? AS bytes', [bytes])]

  for (const row of rows) {
    expect(Buffer.isBuffer(row?.['bytes'])).toBe(false)
    expect(Buffer.from(row?.['bytes'] as ArrayBuffer)).toEqual(bytes)
  }
  db.close()
})

describe('to read only', () => {
  test('a catalog is read, and cannot be written', async () => {
    const folder = temporaryFolder()
    const writer = await open(folder)
    await writer.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'kept' })])
    const reader = await open(folder, false)

    expect(await reader.catalog.findSkill('acme/kept')).toMatchObject({ state: 'published' })
    await expect(reader.catalog.writeState('any', 1)).rejects.toThrow()
    await writer.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'later' })])
    expect(await reader.catalog.findSkill('acme/later')).toMatchObject({ state: 'published' })
    await reader.close()
    await writer.close()
  })

  test('missing parts of a folder are not created', async () => {
    const folder = temporaryFolder()
    await (await open(folder)).close()
    rmSync(join(folder, 'exports'), { recursive: true })
    rmSync(join(folder, 'search-1.db'))

    const reader = await open(folder, false)

    await expect(reader.index.suggest('a', 1)).rejects.toMatchObject({ code: 'search_unavailable' })
    expect(await reader.exports.snapshots()).toEqual([])
    await reader.close()
    expect(readdirSync(folder)).not.toContain('exports')
    expect(readdirSync(folder).some((name) => name.startsWith('search-') && name.endsWith('.db'))).toBe(false)
  })
})

test('a command that writes batches at once, in one thread and in two, has all of them in its index', async () => {
  const folder = temporaryFolder()
  const skills = makeSkills(4)
  const { catalog, replicas, close } = await openEmbedded(folder, { threads: 'command', log: silentLog() })
  const [index] = replicas
  await catalog.put('skills', skills)

  const write = (at: number) =>
    index.apply({ publish: [documentOf(skills[at] ?? aSkill())], remove: [] }, 'live', aLock())
  await Promise.all([write(0), write(1)])
  await Promise.all([write(2), write(3)])

  expect((await index.list(null, 10, 'live')).map(({ id }) => id)).toEqual(skills.map(({ id }) => id).sort())
  await close()
})
