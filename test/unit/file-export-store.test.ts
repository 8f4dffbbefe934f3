import { createHash } from 'node:crypto'
import { readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/exports/file-export-store.js'
import { currentFile, publishText, readCurrent } from '../support/export-drafts.js'
import { testOnSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog, silentLog } from '../support/test-log.js'

const hourAgo = new Date(Date.now() - 3_600_000)

describe('FileExportStore', () => {
  test('files are named by type, snapshot and hash; the three newest snapshots stay', async () => {
    const folder = temporaryFolder()
    const store = await FileExportStore.open(folder, silentLog())

    for (const day of [1, 2, 3, 4, 5]) {
      await publishText(store, day, `day ${day}`)
    }

    expect(exportFiles(folder)).toEqual([
      expect.stringMatching(/^skills-20260103T000000000Z-[0-9a-f]{12}\.json$/),
      expect.stringMatching(/^skills-20260104T000000000Z-[0-9a-f]{12}\.json$/),
      expect.stringMatching(/^skills-20260105T000000000Z-[0-9a-f]{12}\.json$/),
    ])
  })

  test('a snapshot of an earlier version is served unchanged, without other files', async () => {
    const folder = temporaryFolder()
    const sha256 = createHash('sha256').update('[]').digest('hex')
    const name = `skills-20250101T000000000Z-${sha256.slice(0, 12)}.json`
    writeFileSync(join(folder, name), '[]')
    const file = { name, type: 'skills', format: 'json', total: 1, count: 1, sizeBytes: 2, sha256 }
    const snapshot = { snapshot: '20250101T000000000Z', generatedAt: '2025-01-01T00:00:00.000Z', files: [file] }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: 1, snapshots: [snapshot] }))

    const store = await FileExportStore.open(folder, silentLog())

    expect(await store.snapshots()).toMatchObject([{ changesSince: null, files: [{ encoding: 'identity' }] }])
    expect(await readCurrent(store)).toBe('[]')
  })

  test('a missing or incomplete file counts as not published, and is logged', async () => {
    const folder = temporaryFolder()
    const { log, lines } = keptLog()
    const store = await FileExportStore.open(folder, log)
    await publishText(store, 1, 'a file of some length')
    const { sha256 } = await currentFile(store)
    truncateSync(join(folder, String(exportFiles(folder)[0])), 5)

    expect(await store.open(sha256, null)).toBeNull()
    expect(await store.snapshots()).toMatchObject([{ files: [] }])
    expect(lines[0]).toMatchObject({ level: 40, sizeBytes: 5, expectedBytes: 21 })
  })

  test('a damaged manifest counts as none, and the next snapshot replaces it', async () => {
    const folder = temporaryFolder()
    const { log, lines } = keptLog()
    const store = await FileExportStore.open(folder, log)
    await publishText(store, 1, 'lost')
    writeFileSync(join(folder, 'manifest.json'), '{"version":1,"snapsh')

    expect(await store.snapshots()).toEqual([])
    expect(lines[0]).toMatchObject({ msg: expect.stringContaining('manifest') })

    await publishText(store, 2, 'new')
    expect(await readCurrent(store)).toBe('new')
    expect(exportFiles(folder)).toHaveLength(1)
  })

  test('opening deletes only the files of an interrupted run', async () => {
    const folder = temporaryFolder()
    const left = ['.writing-0a1b', 'skills-20260101T000000000Z-0123456789ab.csv']
    for (const name of [...left, 'notes.txt']) {
      writeFileSync(join(folder, name), 'x')
      utimesSync(join(folder, name), hourAgo, hourAgo)
    }

    await FileExportStore.open(folder, silentLog())

    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })

  test('opening keeps files that another process may be writing', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.writing-0a1b'), 'x')

    await FileExportStore.open(folder, silentLog())

    expect(readdirSync(folder)).toEqual(['.writing-0a1b'])
  })

  test('a folder that cannot be created is reported with its name and a remedy', async () => {
    const file = join(temporaryFolder(), 'a-file')
    writeFileSync(file, '')

    await expect(FileExportStore.open(join(file, 'exports'), silentLog())).rejects.toMatchObject({
      code: 'exports_not_written',
      message: expect.stringContaining(join(file, 'exports')),
    })
  })

  testOnSmallDisk('a disk without room for a second copy of the last snapshot is not filled', async ({ folder }) => {
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'x'.repeat(700_000))

    await expect(publishText(store, 2, 'small')).rejects.toMatchObject({ code: 'exports_not_written' })

    expect((await readCurrent(store))?.length).toBe(700_000)
  })

  testOnSmallDisk('a read-only folder keeps the old snapshot', async ({ folder, remount }) => {
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'old')
    remount('ro')

    await expect(publishText(store, 2, 'new')).rejects.toMatchObject({ code: 'exports_not_written' })

    expect(await readCurrent(store)).toBe('old')
  })
})

const exportFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name !== 'manifest.json' && statSync(join(folder, name)).isFile())
    .sort()
