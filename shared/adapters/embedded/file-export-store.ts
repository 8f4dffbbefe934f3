import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type AppError, operatorError, unavailable } from '../../errors.js'
import type { Logger } from '../../log.js'
import type {
  ByteRange,
  ExportDraft,
  ExportEncoding,
  ExportSnapshot,
  ExportStore,
  SnapshotMoment,
} from '../../ports/export-store.js'
import { systemErrorCode } from '../../system-error.js'
import { temporaryPrefix, writeDurably } from '../durable-file.js'
import { readOpenFile } from '../read-open-file.js'
import { keptSnapshots, toSnapshot } from '../stored-snapshot.js'
import {
  isExportFileName,
  type ManifestFile,
  type ManifestSnapshot,
  readManifest,
  writeManifest,
} from './export-manifest.js'

/** What a file's name ends with, behind its format. */
const endings: Record<ExportEncoding, string> = { identity: '', br: '.br', gzip: '.gz' }

/** A file that no manifest names may belong to a snapshot that another process is just writing, until it is this old. */
const orphanAgeMs = 10 * 60_000

/** Export files in a folder, named by a manifest; files never change once they are there. */
export class FileExportStore implements ExportStore {
  readonly #folder: string
  readonly #log: Logger

  private constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /**
   * Opens the folder, making it if need be, and removes what an interrupted run has left in it.
   *
   * @throws AppError `exports_not_written` when the folder cannot be made
   */
  static async open(folder: string, log: Logger): Promise<FileExportStore> {
    const store = new FileExportStore(folder, log)
    await store.#writing(async () => {
      await mkdir(folder, { recursive: true })
      await store.#removeOrphans(orphanAgeMs)
    })
    return store
  }

  publish(moment: SnapshotMoment, drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>): Promise<ExportSnapshot> {
    return this.#writing(async () => {
      await mkdir(this.#folder, { recursive: true })
      const former = await this.#snapshots()
      await this.#requireRoomFor(former[0])
      const files: ManifestFile[] = []
      try {
        for await (const { type, format, encoding, total, count, content } of drafts) {
          const name = (sha256: string) =>
            `${type}-${moment.snapshot}-${sha256.slice(0, 12)}.${format}${endings[encoding]}`
          const written = await writeDurably(this.#folder, content, name)
          files.push({ ...written, type, format, encoding, total, count })
        }
        const others = former.filter((other) => other.snapshot !== moment.snapshot)
        await writeManifest(this.#folder, [{ ...moment, files }, ...others].slice(0, keptSnapshots))
      } finally {
        // Either what the new manifest no longer names, or the files of a snapshot that came to nothing.
        await this.#removeOrphans(0)
      }
      return toSnapshot({ ...moment, files })
    })
  }

  snapshots(): Promise<ExportSnapshot[]> {
    return this.#reading(async () => {
      const snapshots = await this.#snapshots()
      return Promise.all(
        snapshots.map(async (snapshot) => {
          const whole = await Promise.all(snapshot.files.map((file) => this.#isThere(file)))
          return toSnapshot({ ...snapshot, files: snapshot.files.filter((_, place) => whole[place]) })
        }),
      )
    })
  }

  open(sha256: string, range: ByteRange | null): Promise<Readable | null> {
    return this.#reading(async () => {
      const files = (await this.#snapshots()).flatMap((snapshot) => snapshot.files)
      const file = files.find((candidate) => candidate.sha256 === sha256)
      if (file === undefined) {
        return null
      }
      // Opened now, not at the first read: what is open stays readable after it is removed.
      const handle = await open(join(this.#folder, file.name), 'r').catch(passMissing)
      if (!this.#isWhole(file, (await handle?.stat())?.size) || handle === undefined) {
        await handle?.close()
        return null
      }
      return readOpenFile(handle, file.sizeBytes, range)
    })
  }

  async close(): Promise<void> {
    // Nothing is held open between two calls; downloads under way own their files.
  }

  #snapshots(): Promise<ManifestSnapshot[]> {
    return readManifest(this.#folder, (problem) => this.#log.warn({ folder: this.#folder }, problem))
  }

  async #isThere(file: ManifestFile): Promise<boolean> {
    return this.#isWhole(file, (await stat(join(this.#folder, file.name)).catch(passMissing))?.size)
  }

  /** A file that is gone or cut counts as not published: better no answer than half of one. */
  #isWhole(file: ManifestFile, sizeBytes: number | undefined): boolean {
    if (sizeBytes === file.sizeBytes) {
      return true
    }
    this.#log.warn(
      { file: file.name, sizeBytes: sizeBytes ?? null, expectedBytes: file.sizeBytes },
      'a published export file is missing or cut: not served until the next snapshot',
    )
    return false
  }

  /** Refuses before the disk is full to the brim: the catalog may well be on the same one. */
  async #requireRoomFor(former: ManifestSnapshot | undefined): Promise<void> {
    const neededBytes = (former?.files ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < neededBytes) {
      throw notWritten(this.#folder)
    }
  }

  /** Removes files of ours that no manifest names. A failure is only told: the next time does it again. */
  async #removeOrphans(olderThanMs: number): Promise<void> {
    try {
      const named = new Set((await this.#snapshots()).flatMap(({ files }) => files.map(({ name }) => name)))
      for (const name of await readdir(this.#folder)) {
        const ours = name.startsWith(temporaryPrefix) || isExportFileName(name)
        const found = ours && !named.has(name) ? await stat(join(this.#folder, name)).catch(passMissing) : undefined
        if (found?.isFile() && found.mtimeMs <= Date.now() - olderThanMs) {
          await rm(join(this.#folder, name), { force: true })
        }
      }
    } catch (error) {
      this.#log.warn({ folder: this.#folder, err: error }, 'old export files could not be removed')
    }
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw systemErrorCode(error) !== null
        ? unavailable('exports_unavailable', 'The export files cannot be read just now.', 30, error)
        : error
    }
  }

  async #writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw systemErrorCode(error) !== null ? notWritten(this.#folder, error) : error
    }
  }
}

const notWritten = (folder: string, cause?: unknown): AppError =>
  operatorError(
    'exports_not_written',
    `The export files could not be written to ${folder}; the ones published before stay. ` +
      'Free some space on that disk and see that this user may write there, then run the export again.',
    cause,
  )

function passMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') {
    throw error
  }
}
