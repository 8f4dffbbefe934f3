import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import { currentFile, publishText, readCurrent } from '../support/export-drafts.js'
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

  test('a store opened again finds what was published', async () => {
    const folder = temporaryFolder()
    await publishText(await FileExportStore.open(folder, silentLog()), 1, 'still here')

    const again = await FileExportStore.open(folder, silentLog())

    expect(await readCurrent(again)).toBe('still here')
  })

  test('what an earlier version has published is served, as it is and nothing else', async () => {
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

  test('a file that was removed or cut counts as not published, and that is told', async () => {
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

  test('a damaged manifest counts as none, and the next snapshot mends it', async () => {
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

  test('opening removes what an interrupted run has left, and nothing else', async () => {
    const folder = temporaryFolder()
    const left = ['.writing-0a1b', 'skills-20260101T000000000Z-0123456789ab.csv']
    for (const name of [...left, 'notes.txt']) {
      writeFileSync(join(folder, name), 'x')
      utimesSync(join(folder, name), hourAgo, hourAgo)
    }

    await FileExportStore.open(folder, silentLog())

    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })

  test('opening leaves alone what another process may just be writing', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.writing-0a1b'), 'x')

    await FileExportStore.open(folder, silentLog())

    expect(readdirSync(folder)).toEqual(['.writing-0a1b'])
  })

  test('a run that died between the files and the manifest leaves the old snapshot, and its files are collected', async () => {
    const folder = temporaryFolder()
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'old')
    writeFileSync(join(folder, 'skills-20260102T000000000Z-0123456789ab.json'), 'never named')

    expect(await readCurrent(store)).toBe('old')
    await publishText(store, 3, 'new')

    expect(existsSync(join(folder, 'skills-20260102T000000000Z-0123456789ab.json'))).toBe(false)
  })

  test('a folder that cannot be made is told with its name and what to do', async () => {
    const file = join(temporaryFolder(), 'a-file')
    writeFileSync(file, '')

    await expect(FileExportStore.open(join(file, 'exports'), silentLog())).rejects.toMatchObject({
      code: 'exports_not_written',
      message: expect.stringContaining(join(file, 'exports')),
    })
  })

  onSmallDisk('a full disk leaves the old snapshot and no half-written file', async (folder) => {
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'old')

    await expect(publishText(store, 2, 'x'.repeat(4 * 1024 * 1024))).rejects.toMatchObject({
      code: 'exports_not_written',
    })

    expect(await readCurrent(store)).toBe('old')
    expect(readdirSync(folder)).toHaveLength(2)
  })

  onSmallDisk('a disk that the last snapshot would not fit on again is not filled', async (folder) => {
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'x'.repeat(700_000))

    await expect(publishText(store, 2, 'small')).rejects.toMatchObject({ code: 'exports_not_written' })

    expect((await readCurrent(store))?.length).toBe(700_000)
  })

  onSmallDisk('a folder that may not be written leaves the old snapshot', async (folder) => {
    const store = await FileExportStore.open(folder, silentLog())
    await publishText(store, 1, 'old')
    execFileSync('mount', ['-o', 'remount,ro', folder])

    await expect(publishText(store, 2, 'new')).rejects.toMatchObject({ code: 'exports_not_written' })

    expect(await readCurrent(store)).toBe('old')
  })
})

/** Needs a file system of its own, which only a Linux root may mount. */
function onSmallDisk(name: string, body: (folder: string) => Promise<void>): void {
  const testHere = canMount() ? test : test.skip
  testHere(name, async () => {
    const disk = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    try {
      await body(disk)
    } finally {
      execFileSync('umount', [disk])
    }
  })
}

function canMount(): boolean {
  try {
    const probe = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe], { stdio: 'ignore' })
    execFileSync('umount', [probe])
    return true
  } catch {
    return false
  }
}

const exportFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name !== 'manifest.json' && statSync(join(folder, name)).isFile())
    .sort()
