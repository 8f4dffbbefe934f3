import { createHash } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import { LocalExportCopy, type LocalExportCopyOptions } from '../../shared/adapters/servers/local-export-copy.js'
import { unavailable } from '../../shared/errors.js'
import { overlaid } from '../../shared/overlaid.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { aDraft, publishText, readCurrent, readFile } from '../support/export-drafts.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog, silentLog } from '../support/test-log.js'

const opened: LocalExportCopy[] = []

afterEach(async () => {
  for (const copy of opened.splice(0)) {
    await copy.close()
  }
})

/** A store that can be taken away, and the calls that it was asked. */
interface Remote {
  store: ExportStore
  calls: string[]
  isAway: boolean
}

async function aRemote(): Promise<Remote> {
  const store = await FileExportStore.open(temporaryFolder(), silentLog())
  const remote: Remote = { store, calls: [], isAway: false }
  const asked = <T>(name: string, call: () => Promise<T>): Promise<T> => {
    remote.calls.push(name)
    return remote.isAway ? Promise.reject(unavailable('exports_unavailable', 'It is away.', 1)) : call()
  }
  remote.store = overlaid(store, {
    snapshots: () => asked('snapshots', () => store.snapshots()),
    open: (...which) => asked('open', () => store.open(...which)),
  })
  return remote
}

async function copyOf(
  remote: ExportStore,
  folder: string,
  options: Partial<LocalExportCopyOptions> = {},
): Promise<LocalExportCopy> {
  const copy = await LocalExportCopy.open({ remote, folder, log: silentLog(), lookEveryMs: 5, ...options })
  opened.push(copy)
  return copy
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await sleep(5)
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The manifest of this snapshot is written behind its files. */
const hasCopied = (folder: string, day: number): boolean => {
  const manifest = join(folder, 'snapshots.json')
  return existsSync(manifest) && readFileSync(manifest, 'utf8').includes(`2026010${day}T000000000Z`)
}

test('copies the files of the current snapshot, and reads from there what it has', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'plain', [aDraft('packed', { encoding: 'gzip' })])
  const copy = await copyOf(remote.store, folder)
  await until(() => hasCopied(folder, 1))

  expect(readdirSync(folder).sort()).toEqual([hashOf('plain'), hashOf('packed'), 'snapshots.json'].sort())
  remote.calls.length = 0
  expect(await readCurrent(copy)).toBe('plain')
  expect(await readFile(copy, hashOf('plain'), { start: 1, end: 2 })).toBe('la')
  expect(remote.calls).not.toContain('open')
})

test('no request waits for the remote store to tell what is published', async () => {
  const remote = await aRemote()
  await publishText(remote.store, 1, 'plain')
  const copy = await copyOf(remote.store, temporaryFolder(), { lookEveryMs: 3_600_000 })
  await copy.snapshots()
  remote.calls.length = 0

  for (let time = 0; time < 10; time += 1) {
    expect(await copy.snapshots()).toHaveLength(1)
  }

  expect(remote.calls).not.toContain('snapshots')
})

test('finds a new snapshot by itself', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'first')
  const copy = await copyOf(remote.store, folder)
  await until(() => hasCopied(folder, 1))

  await publishText(remote.store, 2, 'second')
  await until(() => hasCopied(folder, 2))

  expect(await readCurrent(copy)).toBe('second')
  expect(await readFile(copy, hashOf('first'))).toBe('first')
})

test('serves what was published last while the remote store is away, and says so once', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'still here')
  const copy = await copyOf(remote.store, folder, { log })
  await until(() => hasCopied(folder, 1))

  remote.isAway = true
  remote.calls.length = 0
  await until(() => remote.calls.length > 3)

  expect(await readCurrent(copy)).toBe('still here')
  expect(lines.filter(({ level }) => level === 40)).toHaveLength(1)
  remote.isAway = false
  await publishText(remote.store, 2, 'back again')
  await until(() => hasCopied(folder, 2))
  expect(await readCurrent(copy)).toBe('back again')
})

test('started while the remote store is away, it serves what an earlier process has copied', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'from before')
  await copyOf(remote.store, folder)
  await until(() => hasCopied(folder, 1))

  remote.isAway = true
  const copy = await copyOf(remote.store, folder)

  expect((await copy.snapshots()).map(({ snapshot }) => snapshot)).toEqual(['20260101T000000000Z'])
  let read: string | null = null
  while (read === null) {
    // Until its hash has been found right, a copy is not believed.
    read = await readCurrent(copy).catch(() => null)
    await sleep(5)
  }
  expect(read).toBe('from before')
})

test('without anything to fall back on, the remote store that is away is told as such', async () => {
  const remote = await aRemote()
  remote.isAway = true
  const copy = await copyOf(remote.store, temporaryFolder())

  await expect(copy.snapshots()).rejects.toMatchObject({ code: 'exports_unavailable' })
})

test('a copy that is damaged is not believed, and fetched anew', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'as it is')
  writeFileSync(join(folder, hashOf('as it is')), 'as it was')

  const copy = await copyOf(remote.store, folder)
  await until(() => hasCopied(folder, 1))

  expect(await readCurrent(copy)).toBe('as it is')
  expect(readFileSync(join(folder, hashOf('as it is')), 'utf8')).toBe('as it is')
})

test('a copy that is cut or gone is read from the remote store, and fetched anew', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'as it is')
  const copy = await copyOf(remote.store, folder)
  await until(() => hasCopied(folder, 1))
  const file = join(folder, hashOf('as it is'))

  truncateSync(file, 3)

  expect(await readCurrent(copy)).toBe('as it is')
  await until(() => readFileSync(file, 'utf8') === 'as it is')
})

test('bytes that are not those of the file are not kept', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'the right ones')
  const wrong = overlaid(remote.store, { open: async () => Readable.from([Buffer.from('the wrong ones')]) })

  await copyOf(wrong, folder, { log })
  await until(() => lines.some(({ msg }) => String(msg).includes('could not all be copied')))

  expect(readdirSync(folder)).toEqual([])
})

test('closed in the middle of a copy, it keeps nothing half-done and says nothing', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'never to come')
  const endless = new Readable({ read() {} })
  const copy = await copyOf(overlaid(remote.store, { open: async () => endless }), folder, { log })
  await until(() => readdirSync(folder).length > 0)

  await copy.close()

  expect(readdirSync(folder)).toEqual([])
  expect(endless.destroyed).toBe(true)
  expect(lines).toEqual([])
})

test('a remote store that breaks off before it is read is survived', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'read later')
  let isBroken = true
  const breaking = overlaid(remote.store, {
    open: async (...which) => {
      const stream = isBroken ? new Readable({ read() {} }) : await remote.store.open(...which)
      if (isBroken) {
        stream?.destroy(new Error('the connection is gone'))
      }
      return stream
    },
  })
  const { log, lines } = keptLog()

  const copy = await copyOf(breaking, folder, { log })
  await until(() => lines.length > 0)
  isBroken = false

  expect(lines).toHaveLength(1)
  expect(await readCurrent(copy)).toBe('read later')
})

test('what nobody has used for long is removed, and nothing else', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'in use')
  const hourAgo = new Date(Date.now() - 3_601_000)
  const names = { left: 'a'.repeat(64), temporary: '.writing-x', fresh: 'b'.repeat(64), foreign: 'notes.txt' }
  for (const name of [...Object.values(names), hashOf('in use')]) {
    writeFileSync(join(folder, name), 'in use')
    utimesSync(join(folder, name), hourAgo, hourAgo)
  }
  utimesSync(join(folder, names.fresh), new Date(), new Date())

  await copyOf(remote.store, folder)
  await until(() => [names.left, names.temporary].every((name) => !existsSync(join(folder, name))))

  expect(new Set(readdirSync(folder))).toEqual(
    new Set([names.fresh, names.foreign, hashOf('in use'), 'snapshots.json']),
  )
})

test('a folder that cannot be made is told with what to do', async () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')

  await expect(copyOf((await aRemote()).store, join(file, 'exports'))).rejects.toMatchObject({
    code: 'export_cache_unusable',
    message: expect.stringContaining('EXPORT_CACHE_DIR'),
  })
})

const asRoot = process.getuid?.() === 0 ? test : test.skip

asRoot('a folder of another user is not trusted (needs root)', async () => {
  const folder = temporaryFolder()
  chownSync(folder, 12_345, 12_345)

  await expect(copyOf((await aRemote()).store, folder)).rejects.toMatchObject({ code: 'export_cache_unusable' })
})
