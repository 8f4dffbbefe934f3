import { addAbortSignal, type Readable } from 'node:stream'
import type { Logger } from '../../log.js'
import type {
  ByteRange,
  ExportDraft,
  ExportFile,
  ExportSnapshot,
  ExportStore,
  SnapshotMoment,
} from '../../ports/export-store.js'
import { ExportCopyFolder } from './export-copy-folder.js'

export interface LocalExportCopyOptions {
  /** What is copied; closed with the copy. */
  remote: ExportStore
  /** Where the copies are kept. */
  folder: string
  log: Logger
  /** Milliseconds from one look for a new snapshot to the next. Default 5,000. */
  lookEveryMs?: number
  /** Milliseconds for which files stay that no process uses any more. Default an hour. */
  keepMs?: number
}

/** After a copy that failed, for instance on a full disk, nothing is fetched for so long. */
const pauseMs = 60_000

/**
 * An export store with a copy of its current files beside the process. What is published is asked of the remote store
 * every few seconds and remembered, so that no request waits for it; when it is away, what was published last goes on
 * being served: the current files from their copies, the files of older snapshots when it is back.
 */
export class LocalExportCopy implements ExportStore {
  readonly #options: Required<LocalExportCopyOptions>
  readonly #folder: ExportCopyFolder
  readonly #timer: NodeJS.Timeout
  readonly #stop = new AbortController()
  /** What the remote store said last; null before it has said anything. */
  #known: ExportSnapshot[] | null = null
  /** Files whose copies have been found right, by hash. */
  readonly #copied = new Map<string, ExportFile>()
  #looking: Promise<void> | null = null
  #copying: Promise<void> | null = null
  #keptSnapshot: string | null = null
  #pausedUntilMs = 0
  #sweptAtMs = 0
  #isAway = false

  private constructor(options: Required<LocalExportCopyOptions>, folder: ExportCopyFolder) {
    this.#options = options
    this.#folder = folder
    const look = () => void this.#look().catch(() => undefined)
    this.#timer = setInterval(look, options.lookEveryMs).unref()
    look()
  }

  /** @throws AppError `export_cache_unusable` */
  static async open(options: LocalExportCopyOptions): Promise<LocalExportCopy> {
    const folder = await ExportCopyFolder.open(options.folder)
    return new LocalExportCopy({ lookEveryMs: 5_000, keepMs: 3_600_000, ...options }, folder)
  }

  async publish(
    moment: SnapshotMoment,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
  ): Promise<ExportSnapshot> {
    const published = await this.#options.remote.publish(moment, drafts)
    await this.#looking?.catch(() => undefined)
    await this.#look()
    return published
  }

  async snapshots(): Promise<ExportSnapshot[]> {
    if (this.#known === null) {
      await this.#look()
    }
    return this.#known ?? []
  }

  async open(sha256: string, range: ByteRange | null): Promise<Readable | null> {
    const isKept = (await this.snapshots()).some(({ files }) => files.some((file) => file.sha256 === sha256))
    if (!isKept) {
      return null
    }
    const copied = this.#copied.get(sha256)
    const stream = copied === undefined ? null : await this.#folder.read(copied, range)
    if (stream === null) {
      this.#copied.delete(sha256)
    }
    return stream ?? this.#options.remote.open(sha256, range)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort()
    await this.#looking?.catch(() => undefined)
    await this.#copying
    await this.#options.remote.close()
  }

  /** Asks what is published, once at a time. @throws AppError when that is not known, and never was */
  #look(): Promise<void> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #ask(): Promise<void> {
    try {
      this.#known = await this.#options.remote.snapshots()
      this.#isAway = false
    } catch (error) {
      if (!this.#isAway) {
        this.#options.log.warn({ err: error }, 'the export files are served as they were known last')
      }
      this.#isAway = true
      const kept = this.#known ?? (await this.#folder.readSnapshots())
      if (kept.length === 0) {
        throw error
      }
      this.#known = kept
    }
    this.#copying ??= this.#copy(this.#known).finally(() => {
      this.#copying = null
    })
  }

  /** Fetches what is missing of the current snapshot; a failure is told, and tried again later. */
  async #copy(snapshots: ExportSnapshot[]): Promise<void> {
    const [current] = snapshots
    if (current === undefined || Date.now() < this.#pausedUntilMs) {
      return
    }
    try {
      for (const file of current.files) {
        await this.#fetch(file)
      }
      if (this.#keptSnapshot !== current.snapshot && !this.#isAway) {
        await this.#folder.writeSnapshots(snapshots)
        this.#keptSnapshot = current.snapshot
      }
      await this.#tidy(current.files)
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#pausedUntilMs = Date.now() + pauseMs
        this.#options.log.warn({ err: error }, 'the export files could not all be copied: they are read from MongoDB')
      }
    }
  }

  async #fetch(file: ExportFile): Promise<void> {
    this.#stop.signal.throwIfAborted()
    if (this.#copied.has(file.sha256)) {
      return
    }
    if (!(await this.#folder.has(file))) {
      const bytes = await this.#options.remote.open(file.sha256, null)
      if (bytes === null) {
        return // Replaced meanwhile: the next look tells by what.
      }
      // Until it is read, nobody else would hear of its end.
      bytes.on('error', () => undefined)
      await this.#folder.write(file, addAbortSignal(this.#stop.signal, bytes))
    }
    this.#copied.set(file.sha256, file)
  }

  /** Now and then: often enough that other processes do not take what is in use here for left over. */
  async #tidy(current: ExportFile[]): Promise<void> {
    const { keepMs } = this.#options
    if (Date.now() - this.#sweptAtMs < keepMs / 6) {
      return
    }
    this.#sweptAtMs = Date.now()
    for (const file of current) {
      await this.#folder.claim(file)
    }
    await this.#folder.sweep(keepMs)
    // What has been swept is found missing when it is asked for, and of what is dropped nothing is asked for.
    const known = new Set((this.#known ?? []).flatMap(({ files }) => files.map(({ sha256 }) => sha256)))
    for (const sha256 of this.#copied.keys()) {
      if (!known.has(sha256)) {
        this.#copied.delete(sha256)
      }
    }
  }
}
