import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { operatorError } from '../../errors.js'
import type { ByteRange, ExportFile, ExportSnapshot } from '../../ports/export-store.js'
import { systemErrorCode } from '../../system-error.js'
import { temporaryPrefix, writeDurably } from '../durable-file.js'
import { makeFolder } from '../make-folder.js'
import { readOpenFile } from '../read-open-file.js'
import { StoredFile, StoredMoment, toSnapshot } from '../stored-snapshot.js'

const manifestName = 'snapshots.json'

/** Files are named by the hash of their bytes. */
const fileName = /^[0-9a-f]{64}$/

const Manifest = z.array(StoredMoment.extend({ files: z.array(StoredFile) }))

/**
 * A folder with copies of export files, which several processes may share: what is in it is found by the hash of its
 * bytes, and only believed once the hash has been compared.
 */
export class ExportCopyFolder {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Opens the folder, making it if need be.
   *
   * @throws AppError `export_cache_unusable` when it cannot be made, or is another user's: who could change what is in it
   */
  static async open(folder: string): Promise<ExportCopyFolder> {
    try {
      makeFolder(folder)
    } catch (error) {
      throw unusable(folder, 'cannot be made', error)
    }
    const { uid } = await stat(folder)
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw unusable(folder, 'belongs to another user')
    }
    return new ExportCopyFolder(folder)
  }

  /** The snapshots that were kept last; none when that cannot be told. */
  async readSnapshots(): Promise<ExportSnapshot[]> {
    try {
      return Manifest.parse(JSON.parse(await readFile(join(this.#folder, manifestName), 'utf8'))).map(toSnapshot)
    } catch {
      return []
    }
  }

  async writeSnapshots(snapshots: ExportSnapshot[]): Promise<void> {
    await writeDurably(this.#folder, [Buffer.from(JSON.stringify(snapshots))], () => manifestName)
  }

  /** Whether the file is here with just the bytes that it should have. */
  async has({ sha256 }: ExportFile): Promise<boolean> {
    try {
      const hash = createHash('sha256')
      await pipeline(createReadStream(join(this.#folder, sha256)), hash)
      return hash.digest('hex') === sha256
    } catch {
      return false
    }
  }

  /** @throws Error when the bytes are not those of the file; whatever is thrown, nothing is kept */
  async write({ sha256 }: ExportFile, bytes: Readable): Promise<void> {
    // Temporary folders are tidied up by others as well.
    makeFolder(this.#folder)
    await writeDurably(this.#folder, bytes, (written) => {
      if (written !== sha256) {
        throw new Error(`the bytes of export file ${sha256} have the hash ${written}`)
      }
      return sha256
    })
  }

  /** Opens a file; null when it is gone or cut. */
  async read({ sha256, sizeBytes }: ExportFile, range: ByteRange | null): Promise<Readable | null> {
    const handle = await open(join(this.#folder, sha256), 'r').catch(() => null)
    if (handle === null || (await handle.stat()).size !== sizeBytes) {
      await handle?.close()
      return null
    }
    return readOpenFile(handle, sizeBytes, range)
  }

  /**
   * Removes files that nobody has claimed for this long. To remain, the files in use have to be claimed now and then by
   * every process that uses them.
   */
  async sweep(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const found = fileName.test(name) || name.startsWith(temporaryPrefix) ? await stat(path).catch(() => null) : null
      if (found !== null && found.mtimeMs <= Date.now() - olderThanMs) {
        await rm(path, { force: true })
      }
    }
  }

  /** Says that a file is in use. */
  async claim({ sha256 }: ExportFile): Promise<void> {
    const now = new Date()
    await utimes(join(this.#folder, sha256), now, now).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'ENOENT') {
        throw error
      }
    })
  }
}

const unusable = (folder: string, why: string, cause?: unknown) =>
  operatorError(
    'export_cache_unusable',
    `The folder ${folder} for copies of the export files ${why}. Set EXPORT_CACHE_DIR to one of this user's.`,
    cause,
  )
