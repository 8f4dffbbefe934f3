import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ByteRange, ExportFile, ExportSnapshot, ExportStore } from '../../../ports/export-store.js'
import { ignoreMissing, operatorError } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import { makeFolder, temporaryPrefix, writeDurably } from '../../files/durable-file.js'
import { FileBlocks } from '../../files/file-blocks.js'

export interface LocalExportCopyOptions {
  /** The copied store; closed with the copy. */
  remote: Omit<ExportStore, 'publish'>
  /** Where the files are copied; null: they are not, but the list of snapshots only. */
  folder: string | null
  log: Logger
  /** Milliseconds between two checks for a new snapshot. Default 5,000. */
  checkEveryMs?: number
  /** Milliseconds before files that no process uses are removed. Default ten minutes: imports may publish one after another. */
  keepMs?: number
}

/** Milliseconds without further copies after an error, for instance of a full disk. */
const pauseMs = 60_000

/**
 * The published files of an export store, with a local copy of the current ones, which later processes use as well. The list
 * of snapshots is read from the remote store every few seconds, so that no request waits for it. While the remote store is unavailable, the last list is served, with the
 * current files from their copies; the files of older snapshots are unavailable then.
 */
export class LocalExportCopy implements Omit<ExportStore, 'publish'> {
  readonly #options: Required<LocalExportCopyOptions>
  readonly #folder: CopyFolder | null
  readonly #timer: NodeJS.Timeout
  readonly #stop = new AbortController()
  /** The last list of the remote store; null before the first one. */
  #known: ExportSnapshot[] | null = null
  /** Files with verified copies, by hash. */
  readonly #copied = new Map<string, ExportFile>()
  #checking: Promise<void> | null = null
  #copying: Promise<void> | null = null
  #pausedUntilMs = 0
  #sweptAtMs = 0
  #isUnavailable = false

  private constructor(options: Required<LocalExportCopyOptions>) {
    this.#options = options
    this.#folder = options.folder === null ? null : new CopyFolder(options.folder)
    const check = () => void this.#check().catch(() => undefined)
    this.#timer = setInterval(check, options.checkEveryMs).unref()
    check()
  }

  /** @throws AppError `export_cache_unusable` */
  static async open(options: LocalExportCopyOptions): Promise<LocalExportCopy> {
    if (options.folder !== null) {
      await prepareFolder(options.folder)
    }
    return new LocalExportCopy({ checkEveryMs: 5_000, keepMs: 600_000, ...options })
  }

  async snapshots(named?: string): Promise<ExportSnapshot[]> {
    if (this.#known === null || (named !== undefined && this.#known.every(({ snapshot }) => snapshot < named))) {
      await this.#check()
    }
    return this.#known ?? []
  }

  async open(sha256: string, range: ByteRange | null): Promise<Readable | null> {
    const isKept = (await this.snapshots()).some(({ files }) => files.some((file) => file.sha256 === sha256))
    if (!isKept) {
      return null
    }
    const copied = this.#copied.get(sha256)
    const stream = copied === undefined ? null : await this.#folder?.read(copied, range)
    if (!stream) {
      this.#copied.delete(sha256)
    }
    return stream ?? this.#options.remote.open(sha256, range)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort()
    await this.#checking?.catch(() => undefined)
    await this.#copying
    await this.#options.remote.close()
  }

  /** Reads the remote list, one request at a time. @throws AppError when it is unavailable and no snapshot is known */
  #check(): Promise<void> {
    this.#checking ??= this.#readRemote().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  async #readRemote(): Promise<void> {
    try {
      this.#known = await this.#options.remote.snapshots()
      this.#isUnavailable = false
    } catch (error) {
      if (!this.#isUnavailable) {
        this.#options.log.warn({ err: error }, 'the list of export files cannot be read: the last known one is served')
      }
      this.#isUnavailable = true
      if (this.#known === null || this.#known.length === 0) {
        throw error
      }
    }
    const [current] = this.#known
    this.#copying ??= this.#copy(current?.files ?? []).finally(() => {
      this.#copying = null
    })
  }

  /** Copies the missing files of the current snapshot; an error is logged, and retried later. */
  async #copy(files: ExportFile[]): Promise<void> {
    const folder = this.#folder
    if (folder === null || files.length === 0 || Date.now() < this.#pausedUntilMs) {
      return
    }
    try {
      for (const file of files) {
        await this.#fetch(file, folder)
      }
      await this.#sweep(files, folder)
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#pausedUntilMs = Date.now() + pauseMs
        this.#options.log.warn({ err: error }, 'some export files could not be copied: they are read from MongoDB')
      }
    }
  }

  async #fetch(file: ExportFile, folder: CopyFolder): Promise<void> {
    this.#stop.signal.throwIfAborted()
    if (this.#copied.has(file.sha256)) {
      return
    }
    if (!(await folder.has(file))) {
      const bytes = await this.#options.remote.open(file.sha256, null)
      if (bytes === null) {
        return // Replaced in the meantime: the next check reads the new list.
      }
      // Without a listener, an error before the first read would end the process.
      bytes.on('error', () => undefined)
      await folder.write(file, addAbortSignal(this.#stop.signal, bytes))
    }
    this.#copied.set(file.sha256, file)
  }

  /** Claims the files in use, often enough that no other process removes them, and removes unused ones. */
  async #sweep(current: ExportFile[], folder: CopyFolder): Promise<void> {
    const { keepMs } = this.#options
    if (Date.now() - this.#sweptAtMs < keepMs / 6) {
      return
    }
    this.#sweptAtMs = Date.now()
    for (const file of current) {
      await folder.claim(file)
    }
    await folder.sweep(keepMs)
    // Older files of listed snapshots may be removed too: `open` then reads them from the remote store.
    const known = new Set((this.#known ?? []).flatMap(({ files }) => files.map(({ sha256 }) => sha256)))
    for (const sha256 of this.#copied.keys()) {
      if (!known.has(sha256)) {
        this.#copied.delete(sha256)
      }
    }
  }
}

/** The SHA-256 of the file. */
const fileName = /^[0-9a-f]{64}$/

/** A folder with copies of export files, named by their hashes. Several processes may share it. */
class CopyFolder {
  readonly #folder: string
  readonly #blocks = new FileBlocks()

  constructor(folder: string) {
    this.#folder = folder
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

/**
 * Creates the folder if it does not exist.
 *
 * @throws AppError `export_cache_unusable` when it cannot be created, or belongs to another user, who could change files
 */
async function prepareFolder(folder: string): Promise<void> {
  try {
    makeFolder(folder)
  } catch (error) {
    throw unusable(folder, 'cannot be created', error)
  }
  const { uid } = await stat(folder)
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw unusable(folder, 'belongs to another user')
  }
}

const unusable = (folder: string, reason: string, cause?: unknown) =>
  operatorError(
    'export_cache_unusable',
    `The folder ${folder} for copies of the export files ${reason}. Set EXPORT_CACHE_DIR to a folder of this user.`,
    cause,
  )
