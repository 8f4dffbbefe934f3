import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** How the names of files begin that are still being written. */
export const temporaryPrefix = '.writing-'

/** What was written. */
export interface WrittenFile {
  name: string
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
}

/**
 * Writes a file so that its name either does not exist or names all of it, on the disk: into a temporary file of the
 * same folder, flushed, then renamed. When anything fails, the temporary file is removed and nothing has changed.
 *
 * @param nameOf the file's name, given the hash of its content; what it throws is thrown, and nothing is written
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

/** A rename is on the disk only when the folder that holds the name is. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') {
    return // Windows opens no folders, and flushes names itself.
  }
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
