import { createHash } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/exports/file-export-store.js'
import {
  LocalExportCopy,
  type LocalExportCopyOptions,
} from '../../shared/adapters/servers/exports/local-export-copy.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { unavailable } from '../../shared/runtime/errors.js'
import { afterTest } from '../support/after-test.js'
import { aDraft, publishText, readCurrent, readFile } from '../support/export-drafts.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'
import { withOverrides } from '../support/with-overrides.js'

/** A store that can be taken down, and the calls to it. */
interface Remote {
  store: ExportStore
  calls: string[]
  isDown: boolean
}

async function aRemote(): Promise<Remote> {
  const store = await FileExportStore.open(temporaryFolder(), silentLog())
  const remote: Remote = { store, calls: [], isDown: false }
  const asked = <T>(name: string, call: () => Promise<T>): Promise<T> => {
    remote.calls.push(name)
    return remote.isDown ? Promise.reject(unavailable('exports_unavailable', 'It is down.', 1)) : call()
  }
  remote.store = withOverrides(store, {
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
  const copy = await LocalExportCopy.open({ remote, folder, log: silentLog(), checkEveryMs: 5, ...options })
  afterTest(() => copy.close())
  return copy
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Resolves when these files are read without the remote store: copies are used once they are verified. */
const untilCopied = (copy: LocalExportCopy, { calls }: Remote, ...texts: string[]): Promise<void> =>
  until(async () => {
    calls.length = 0
    const read = await Promise.all(texts.map((text) => readFile(copy, hashOf(text), null).catch(() => null)))
    return texts.every((text, at) => read[at] === text) && !calls.includes('open')
  })

test('a snapshot that is asked for by name is known at once, also of another process', async () => {
  const remote = await aRemote()
  await publishText(remote.store, 1, 'first')
  const copy = await copyOf(remote.store, temporaryFolder(), { checkEveryMs: 600_000 })
  const named = async (name?: string) => (await copy.snapshots(name)).map(({ snapshot }) => snapshot)
  expect(await named()).toEqual(['20260101T000000000Z'])

  await publishText(remote.store, 2, 'second')

  expect(await named()).toEqual(['20260101T000000000Z'])
  expect(await named('20260102T000000000Z')).toEqual(['20260102T000000000Z', '20260101T000000000Z'])
  expect(await readCurrent(copy)).toBe('second')
  remote.calls.length = 0
  // Older ones are not published any more.
  await named('20260101T120000000Z')
  expect(remote.calls).toEqual([])
})

test('copies the files of the current snapshot, and reads the copies', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'plain', [aDraft('packed', { encoding: 'gzip' })])
  const copy = await copyOf(remote.store, folder)
  await untilCopied(copy, remote, 'plain', 'packed')

  expect(readdirSync(folder).sort()).toEqual([hashOf('plain'), hashOf('packed')].sort())
  remote.calls.length = 0
  expect(await readCurrent(copy)).toBe('plain')
  expect(await readFile(copy, hashOf('plain'), { start: 1, end: 2 })).toBe('la')
  expect(remote.calls).not.toContain('open')
})

test('serves the last snapshot while the remote store is unavailable, and logs it once', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'still here')
  const copy = await copyOf(remote.store, folder, { log })
  await untilCopied(copy, remote, 'still here')

  remote.isDown = true
  remote.calls.length = 0
  await until(() => remote.calls.length > 3)

  expect(await readCurrent(copy)).toBe('still here')
  expect(lines.filter(({ level }) => level === 40)).toHaveLength(1)
  remote.isDown = false
  await publishText(remote.store, 2, 'recovered')
  await untilCopied(copy, remote, 'recovered')
  expect(await readCurrent(copy)).toBe('recovered')
})

test('a later process uses the copies of an earlier one', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'from before')
  await untilCopied(await copyOf(remote.store, folder), remote, 'from before')
  const withoutFiles = withOverrides(remote.store, {
    open: () => Promise.reject(unavailable('exports_unavailable', 'It is down.', 1)),
  })

  const copy = await copyOf(withoutFiles, folder)

  await until(async () => (await readCurrent(copy).catch(() => null)) === 'from before')
})

test('without a copy, an unavailable remote store is an error', async () => {
  const remote = await aRemote()
  remote.isDown = true
  const copy = await copyOf(remote.store, temporaryFolder())

  await expect(copy.snapshots()).rejects.toMatchObject({ code: 'exports_unavailable' })
})

test('a damaged copy is not used, and copied again', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'as it is')
  writeFileSync(join(folder, hashOf('as it is')), 'as it was')

  const copy = await copyOf(remote.store, folder)
  await untilCopied(copy, remote, 'as it is')

  expect(await readCurrent(copy)).toBe('as it is')
  expect(readFileSync(join(folder, hashOf('as it is')), 'utf8')).toBe('as it is')
})

test('an incomplete or missing copy is read from the remote store, and copied again', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'as it is')
  const copy = await copyOf(remote.store, folder)
  await untilCopied(copy, remote, 'as it is')
  const file = join(folder, hashOf('as it is'))

  truncateSync(file, 3)

  expect(await readCurrent(copy)).toBe('as it is')
  await until(() => readFileSync(file, 'utf8') === 'as it is')
})

test('bytes with another hash are not kept', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'the right ones')
  const wrong = withOverrides(remote.store, { open: async () => Readable.from([Buffer.from('the wrong ones')]) })

  await copyOf(wrong, folder, { log })
  await until(() => lines.some(({ msg }) => String(msg).includes('could not be copied')))

  expect(readdirSync(folder)).toEqual([])
})

test('when closed during a copy, it keeps no incomplete file and logs nothing', async () => {
  const [remote, folder, { log, lines }] = [await aRemote(), temporaryFolder(), keptLog()]
  await publishText(remote.store, 1, 'never to come')
  const endless = new Readable({ read() {} })
  const copy = await copyOf(withOverrides(remote.store, { open: async () => endless }), folder, { log })
  await until(() => readdirSync(folder).length > 0)

  await copy.close()

  expect(readdirSync(folder)).toEqual([])
  expect(endless.destroyed).toBe(true)
  expect(lines).toEqual([])
})

test('a remote store may fail before its stream is read', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'read later')
  let isBroken = true
  const breaking = withOverrides(remote.store, {
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

test('only files that are unused for a long time are deleted', async () => {
  const [remote, folder] = [await aRemote(), temporaryFolder()]
  await publishText(remote.store, 1, 'in use')
  const tenMinutesAgo = new Date(Date.now() - 601_000)
  const names = { left: 'a'.repeat(64), temporary: '.writing-x', fresh: 'b'.repeat(64), foreign: 'notes.txt' }
  for (const name of [...Object.values(names), hashOf('in use')]) {
    writeFileSync(join(folder, name), 'in use')
    utimesSync(join(folder, name), tenMinutesAgo, tenMinutesAgo)
  }
  utimesSync(join(folder, names.fresh), new Date(), new Date())

  await copyOf(remote.store, folder)
  await until(() => [names.left, names.temporary].every((name) => !existsSync(join(folder, name))))

  expect(new Set(readdirSync(folder))).toEqual(new Set([names.fresh, names.foreign, hashOf('in use')]))
})

test('a folder that cannot be created is reported with a remedy', async () => {
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
