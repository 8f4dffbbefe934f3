import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { ByteRange, ExportFile, ExportSnapshot } from '../../../ports/export-store.js'
import { ignoreMissing, operatorError } from '../../../runtime/errors.js'
import { makeFolder, temporaryPrefix, writeDurably } from '../../files/durable-file.js'
import { FileBlocks } from '../../files/file-blocks.js'
import { StoredFile, StoredMoment, toSnapshot } from '../../files/stored-snapshot.js'

const manifestName = 'snapshots.json'

/** The SHA-256 of the file. */
const fileName = /^[0-9a-f]{64}$/

const Manifest = z.array(StoredMoment.extend({ files: z.array(StoredFile) }))

/** A folder with copies of export files, named by their hashes. Several processes may share it. */
export class ExportCopyFolder {
  readonly #folder: string
  readonly #blocks = new FileBlocks()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Opens the folder, creating it if it does not exist.
   *
   * @throws AppError `export_cache_unusable` when it cannot be created, or belongs to another user, who could change files
   */
  static async open(folder: string): Promise<ExportCopyFolder> {
    try {
      makeFolder(folder)
    } catch (error) {
      throw unusable(folder, 'cannot be created', error)
    }
    const { uid } = await stat(folder)
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw unusable(folder, 'belongs to another user')
    }
    return new ExportCopyFolder(folder)
  }

  /** The last written snapshots; none when the manifest is missing or invalid. */
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

  /** Whether the folder contains the file, with the right hash. */
  async has({ sha256 }: ExportFile): Promise<boolean> {
    try {
      const hash = createHash('sha256')
      await pipeline(createReadStream(join(this.#folder, sha256)), hash)
      return hash.digest('hex') === sha256
    } catch {
      return false
    }
  }

  /** @throws Error when the bytes have another hash; after any error the file is not kept */
  async write({ sha256 }: ExportFile, bytes: Readable): Promise<void> {
    // The system may have deleted a temporary folder.
    makeFolder(this.#folder)
    await writeDurably(this.#folder, bytes, (written) => {
      if (written !== sha256) {
        throw new Error(`the bytes of export file ${sha256} have the hash ${written}`)
      }
      return sha256
    })
  }

  /** Opens a file; null when it is missing or truncated. */
  async read(file: ExportFile, range: ByteRange | null): Promise<Readable | null> {
    const handle = await open(join(this.#folder, file.sha256), 'r').catch(() => null)
    if (handle === null || (await handle.stat()).size !== file.sizeBytes) {
      await handle?.close()
      return null
    }
    return this.#blocks.stream(handle, file, range)
  }

  /** Removes files that no process has claimed for this long. */
  async sweep(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const found = fileName.test(name) || name.startsWith(temporaryPrefix) ? await stat(path).catch(() => null) : null
      if (found !== null && found.mtimeMs <= Date.now() - olderThanMs) {
        await rm(path, { force: true })
      }
    }
  }

  /** Marks a file as in use. Every process repeats this for its files. */
  async claim({ sha256 }: ExportFile): Promise<void> {
    const now = new Date()
    await utimes(join(this.#folder, sha256), now, now).catch(ignoreMissing)
  }
}

const unusable = (folder: string, reason: string, cause?: unknown) =>
  operatorError(
    'export_cache_unusable',
    `The folder ${folder} for copies of the export files ${reason}. Set EXPORT_CACHE_DIR to a folder of this user.`,
    cause,
  )
