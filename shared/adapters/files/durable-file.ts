import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Prefix of the names of unfinished files. */
export const temporaryPrefix = '.writing-'

/** A written file. */
interface WrittenFile {
  name: string
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
}

/**
 * Writes a file atomically and durably: into a temporary file of the same folder, which is flushed, then renamed. On
 * any error the temporary file is deleted and nothing has changed.
 *
 * @param nameOf returns the file's name from the hash of its content; if it throws, nothing is written
 */
export async function writeDurably(
  folder: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  nameOf: (sha256: string) => string,
): Promise<WrittenFile> {
  const temporary = join(folder, `${temporaryPrefix}${randomUUID()}`)
  try {
    const { sizeBytes, sha256 } = await writeAll(temporary, content)
    const name = nameOf(sha256)
    await rename(temporary, join(folder, name))
    await flushFolder(folder)
    return { name, sizeBytes, sha256 }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeAll(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await open(path, 'wx')
  try {
    for await (const bytes of content) {
      hash.update(bytes)
      sizeBytes += bytes.length
      await file.writeFile(bytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Writes the content of a file to the disk. */
export const flushFile = (path: string): Promise<void> => flush(path, 'r+')

/** Writes the names in a folder to the disk: a rename is there only then. */
export async function flushFolder(path: string): Promise<void> {
  // Windows cannot open folders, and flushes names itself.
  if (process.platform !== 'win32') {
    await flush(path, 'r')
  }
}

async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Creates a folder and its missing parents.
 *
 * Not `mkdirSync` with `recursive`: where the file system answers ENOENT to every new folder, such as /proc, Node 20
 * retries for ever.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder)
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder)
    } catch (error) {
      // Another process has created it in the meantime.
      if (!existsSync(folder)) {
        throw error
      }
    }
  }
}
