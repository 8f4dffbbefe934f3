import { mkdir, open, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type {
  ByteRange,
  ExportDraft,
  ExportEncoding,
  ExportFile,
  ExportSnapshot,
  ExportStore,
  SnapshotManifest,
  SnapshotMoment,
} from '../../../ports/export-store.js'
import type { Lock } from '../../../ports/locks.js'
import { type AppError, ignoreMissing, operatorError, systemErrorCode, unavailable } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import { temporaryPrefix, writeDurably } from '../../files/durable-file.js'
import { FileBlocks } from '../../files/file-blocks.js'
import {
  keptOf,
  keptSnapshots,
  newSnapshot,
  type Retention,
  StoredFile,
  StoredMoment,
  toSnapshot,
} from '../../files/stored-snapshot.js'

const manifestName = 'manifest.json'

/** `<type>-<snapshot>-<start of the hash>.<format>`, followed by `.br` or `.gz` if compressed. */
const fileName = /^[a-z]+-[A-Za-z0-9-]+-[0-9a-f]{12}\.[a-z]+(\.br|\.gz)?$/

const ManifestFile = StoredFile.extend({
  /** The file's name in the folder. */
  name: z.string().regex(fileName),
})
type ManifestFile = z.infer<typeof ManifestFile>

const ManifestSnapshot = StoredMoment.extend({ files: z.array(ManifestFile) })
type ManifestSnapshot = z.infer<typeof ManifestSnapshot>

/** The only file of the folder that changes: the list of published snapshots, the current one first. */
const Manifest = z.object({ version: z.literal(1), snapshots: z.array(ManifestSnapshot) })

/** File name extensions of the encodings, after the format. */
const endings: Record<ExportEncoding, string> = { identity: '', br: '.br', gzip: '.gz' }

/** Age below which a file without a manifest may belong to a snapshot that another process is writing. */
const orphanAgeMs = 10 * 60_000

/** How long files that were found whole count as whole, so that many downloads do not look at every file again. */
const wholeMs = 1_000

/** Export files in a folder, listed by a manifest; published files never change. */
export class FileExportStore implements ExportStore {
  readonly #folder: string
  readonly #log: Logger
  readonly #kept: Retention
  /** The manifest that was read last: its file, by what `stat` says of it, and its snapshots. */
  #manifest: { version: string; snapshots: ManifestSnapshot[] } | null = null
  readonly #blocks = new FileBlocks()
  /** The whole files of a manifest, and when they were looked at. */
  #whole: { listed: ManifestSnapshot[]; atMs: number; snapshots: Promise<ExportSnapshot[]> } | null = null

  private constructor(folder: string, log: Logger, kept: Retention) {
    this.#folder = folder
    this.#log = log
    this.#kept = kept
  }

  /**
   * Opens the folder. If it may be written, it is created if needed, and files of an interrupted run are deleted.
   *
   * @param options.kept see `Retention`
   * @throws AppError `exports_not_written` when the folder cannot be created
   */
  static async open(
    folder: string,
    log: Logger,
    { kept = keptSnapshots, writes = true }: { kept?: Retention; writes?: boolean } = {},
  ): Promise<FileExportStore> {
    const store = new FileExportStore(folder, log, kept)
    if (!writes) {
      return store
    }
    await store.#writing(async () => {
      await mkdir(folder, { recursive: true })
      await store.#removeOrphans(orphanAgeMs)
    })
    return store
  }

  publish(
    moment: SnapshotMoment,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
    _lock: Lock,
    describe?: (files: ExportFile[]) => SnapshotManifest,
  ): Promise<ExportSnapshot> {
    return this.#writing(async () => {
      await mkdir(this.#folder, { recursive: true })
      const former = await this.#readManifest()
      await this.#requireRoomFor(former[0])
      const files: ManifestFile[] = []
      let published: ManifestSnapshot
      try {
        for await (const { type, format, encoding, total, count, content } of drafts) {
          const name = (sha256: string) =>
            `${type}-${moment.snapshot}-${sha256.slice(0, 12)}.${format}${endings[encoding]}`
          const written = await writeDurably(this.#folder, content, name)
          files.push({ ...written, type, format, encoding, total, count })
        }
        const others = former.filter((other) => other.snapshot !== moment.snapshot)
        published = newSnapshot(moment, files, describe)
        const manifest: z.infer<typeof Manifest> = { version: 1, snapshots: keptOf([published, ...others], this.#kept) }
        const text = JSON.stringify(manifest, null, 2)
        // Atomic: from now on these are the published snapshots.
        await writeDurably(this.#folder, [Buffer.from(`${text}\n`)], () => manifestName)
      } finally {
        // Deletes the files that the new manifest no longer lists, or those of a failed snapshot.
        await this.#removeOrphans(0)
      }
      return toSnapshot(published)
    })
  }

  snapshots(): Promise<ExportSnapshot[]> {
    return this.#reading(async () => {
      const listed = await this.#readManifest()
      const nowMs = performance.now()
      if (this.#whole?.listed !== listed || nowMs - this.#whole.atMs > wholeMs) {
        this.#whole = { listed, atMs: nowMs, snapshots: this.#wholeFiles(listed) }
      }
      return this.#whole.snapshots
    })
  }

  open(sha256: string, range: ByteRange | null): Promise<Readable | null> {
    return this.#reading(async () => {
      const files = (await this.#readManifest()).flatMap((snapshot) => snapshot.files)
      const file = files.find((candidate) => candidate.sha256 === sha256)
      if (file === undefined) {
        return null
      }
      // Opened now, not at the first read: an open file stays readable after it is deleted.
      const handle = await open(join(this.#folder, file.name), 'r').catch(ignoreMissing)
      if (!this.#isWhole(file, (await handle?.stat())?.size) || handle === undefined) {
        await handle?.close()
        this.#whole = null
        return null
      }
      return this.#blocks.stream(handle, file, range)
    })
  }

  async close(): Promise<void> {
    // No handle stays open between two calls; running downloads own theirs.
  }

  /** The published snapshots, the current one first; none when nothing has been published. Equal until one is. */
  async #readManifest(): Promise<ManifestSnapshot[]> {
    const path = join(this.#folder, manifestName)
    const found = await stat(path, { bigint: true }).catch(ignoreMissing)
    const version = found && `${found.ino} ${found.mtimeNs} ${found.size}`
    if (version !== undefined && version === this.#manifest?.version) {
      return this.#manifest.snapshots
    }
    // The folder may be removed at any moment.
    const text = version && (await readFile(path, 'utf8').catch(ignoreMissing))
    if (version === undefined || text === undefined) {
      return []
    }
    this.#manifest = { version, snapshots: this.#parseManifest(text) }
    return this.#manifest.snapshots
  }

  /** An unreadable manifest counts as empty; the next snapshot replaces it. */
  #parseManifest(text: string): ManifestSnapshot[] {
    try {
      return Manifest.parse(JSON.parse(text)).snapshots
    } catch {
      const problem = 'the export manifest is damaged: no exports until the next snapshot is written'
      this.#log.warn({ folder: this.#folder }, problem)
      return []
    }
  }

  #wholeFiles(snapshots: ManifestSnapshot[]): Promise<ExportSnapshot[]> {
    return Promise.all(
      snapshots.map(async (snapshot) => {
        const sizes = await Promise.all(
          snapshot.files.map(({ name }) => stat(join(this.#folder, name)).catch(ignoreMissing)),
        )
        return toSnapshot({
          ...snapshot,
          files: snapshot.files.filter((file, place) => this.#isWhole(file, sizes[place]?.size)),
        })
      }),
    )
  }

  /** A file that is missing or incomplete counts as not published: an error is better than half a file. */
  #isWhole(file: ManifestFile, sizeBytes: number | undefined): boolean {
    if (sizeBytes === file.sizeBytes) {
      return true
    }
    this.#log.warn(
      { file: file.name, sizeBytes: sizeBytes ?? null, expectedBytes: file.sizeBytes },
      'a published export file is missing or incomplete: no exports of it until the next snapshot',
    )
    return false
  }

  /** Refuses before the disk is full: the catalog may be on the same one. */
  async #requireRoomFor(former: ManifestSnapshot | undefined): Promise<void> {
    const neededBytes = (former?.files ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < neededBytes) {
      throw notWritten(this.#folder)
    }
  }

  /** Deletes export files that no manifest lists. A failure is only logged: the next call tries again. */
  async #removeOrphans(olderThanMs: number): Promise<void> {
    try {
      const named = new Set((await this.#readManifest()).flatMap(({ files }) => files.map(({ name }) => name)))
      for (const name of await readdir(this.#folder)) {
        const ours = name.startsWith(temporaryPrefix) || fileName.test(name)
        const found = ours && !named.has(name) ? await stat(join(this.#folder, name)).catch(ignoreMissing) : undefined
        if (found?.isFile() && found.mtimeMs <= Date.now() - olderThanMs) {
          await rm(join(this.#folder, name), { force: true })
        }
      }
    } catch (error) {
      this.#log.warn({ folder: this.#folder, err: error }, 'old export files could not be deleted')
    }
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw systemErrorCode(error) !== null
        ? unavailable('exports_unavailable', 'The export files cannot be read.', 30, error)
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
      'Free some space on that disk, make sure that this user may write there, then run the export again.',
    cause,
  )
