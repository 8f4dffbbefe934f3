import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Binary, type Collection, type Db, GridFSBucket, MongoError, ObjectId } from 'mongodb'
import { z } from 'zod'
import type {
  ByteRange,
  ExportDraft,
  ExportFile,
  ExportSnapshot,
  ExportStore,
  SnapshotManifest,
  SnapshotMoment,
} from '../../../ports/export-store.js'
import type { Lock } from '../../../ports/locks.js'
import { operatorError, unavailable } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import {
  keptOf,
  keptSnapshots,
  newSnapshot,
  type Retention,
  StoredFile,
  StoredMoment,
  toSnapshot,
} from '../../files/stored-snapshot.js'
import { QueryTime } from '../mongo/connection.js'
import { olderThan, refusedAs } from '../mongo/locks/lock.js'

const manifestId = 'manifest'

/** A download has one or two chunks in memory: small enough for a thousand at once, and the chunk size of file reads. */
const chunkSizeBytes = 64 * 1024

/** A published export file, and the GridFS file with its bytes. */
const PublishedFile = StoredFile.extend({ fileId: z.instanceof(ObjectId) })
type PublishedFile = z.infer<typeof PublishedFile>

const Snapshot = StoredMoment.extend({ files: z.array(PublishedFile) })
type Snapshot = z.infer<typeof Snapshot>
// Made once: the manifest is read every few seconds, and the first uses of a schema take ten times as long as later ones.
const Snapshots = z.array(Snapshot)

interface Manifest {
  _id: string
  /** The current one first. */
  snapshots: Snapshot[]
  /** The epoch of the lock under which it was published; absent in manifests of earlier versions. */
  epoch?: number
}

interface Chunk {
  files_id: ObjectId
  n: number
  data: Binary
}

export interface GridFsExportStoreOptions {
  /** Not closed by the store. */
  db: Db
  log: Logger
  /** Prefix of the collections: by default `exports.files`, `exports.chunks` and `exports.manifests`. */
  bucketName?: string
  /** Default: that of the export files. */
  kept?: Retention
  /**
   * Milliseconds before a file without a manifest is removed: longer than any download, which reads from the database, and
   * longer than the writing of a snapshot. Default an hour.
   */
  keepMs?: number
}

/**
 * Export files in MongoDB's GridFS, for any number of query instances. Files never change; one document, the manifest,
 * lists the published ones, and is replaced atomically.
 */
export class GridFsExportStore implements ExportStore {
  readonly #bucket: GridFSBucket
  readonly #chunks: Collection<Chunk>
  readonly #manifests: Collection<Manifest>
  readonly #log: Logger
  readonly #kept: Retention
  readonly #keepMs: number
  #isDamageLogged = false

  constructor({ db, log, bucketName = 'exports', kept = keptSnapshots, keepMs }: GridFsExportStoreOptions) {
    this.#bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes })
    this.#chunks = db.collection<Chunk>(`${bucketName}.chunks`)
    this.#manifests = db.collection(`${bucketName}.manifests`)
    this.#log = log
    this.#kept = kept
    this.#keepMs = keepMs ?? 3_600_000
  }

  async publish(
    moment: SnapshotMoment,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
    lock: Lock,
    describe?: (files: ExportFile[]) => SnapshotManifest,
  ): Promise<ExportSnapshot> {
    const files: PublishedFile[] = []
    let published: Snapshot
    try {
      for await (const draft of drafts) {
        files.push(await this.#write(moment.snapshot, draft))
      }
      const others = (await this.#snapshots()).filter((other) => other.snapshot !== moment.snapshot)
      published = newSnapshot(moment, files, describe)
      const snapshots = keptOf([published, ...others], this.#kept)
      const { epoch } = lock
      await refusedAs(lock, () =>
        this.#manifests.replaceOne({ _id: manifestId, ...olderThan(epoch) }, { snapshots, epoch }, { upsert: true }),
      )
    } catch (error) {
      throw error instanceof MongoError ? notWritten(error) : error
    } finally {
      await this.#removeUnnamed()
    }
    return toSnapshot(published)
  }

  snapshots(): Promise<ExportSnapshot[]> {
    return reading(async () => (await this.#snapshots()).map(toSnapshot))
  }

  open(sha256: string, range: ByteRange | null): Promise<Readable | null> {
    return reading(async () => {
      const files = (await this.#snapshots()).flatMap((snapshot) => snapshot.files)
      const file = files.find((candidate) => candidate.sha256 === sha256)
      if (file === undefined) {
        return null
      }
      const [stored] = await this.#bucket.find({ _id: file.fileId }, { limit: 1, ...new QueryTime().limit() }).toArray()
      if (stored?.length !== file.sizeBytes) {
        this.#log.warn(
          { file: file.fileId },
          'a published export file is missing: no exports of it until the next snapshot',
        )
        return null
      }
      const { start, end } = range ?? { start: 0, end: stored.length - 1 }
      return Readable.from(this.#read(stored._id, stored.chunkSize, start, end), { objectMode: false })
    })
  }

  async close(): Promise<void> {
    // The caller closes the database; running downloads continue.
  }

  /**
   * Reads a file chunk by chunk, on demand. The driver's stream reads 16 MB ahead, too much for a thousand downloads at
   * once, and keeps a cursor open until the download ends.
   */
  async *#read(fileId: ObjectId, chunkBytes: number, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let n = Math.floor(start / chunkBytes); n * chunkBytes <= end; n += 1) {
      const offset = n * chunkBytes
      const [from, to] = [Math.max(0, start - offset), Math.min(chunkBytes, end + 1 - offset)]
      const chunk = await this.#chunks.findOne({ files_id: fileId, n }, new QueryTime().limit())
      const bytes = chunk?.data.value().subarray(from, to)
      if (bytes?.length !== to - from) {
        throw new Error(`chunk ${n} of the export file ${fileId} is missing or truncated`)
      }
      yield bytes
    }
  }

  /** Writes one file. It is not published until a manifest lists it. */
  async #write(
    snapshot: string,
    { type, format, encoding, total, count, content }: ExportDraft,
  ): Promise<PublishedFile> {
    const hash = createHash('sha256')
    let sizeBytes = 0
    const upload = this.#bucket.openUploadStream(`${type}-${snapshot}.${format}`, { metadata: { encoding } })
    await pipeline(async function* () {
      for await (const bytes of content) {
        hash.update(bytes)
        sizeBytes += bytes.length
        yield bytes
      }
    }, upload)
    return { fileId: upload.id, type, format, encoding, total, count, sizeBytes, sha256: hash.digest('hex') }
  }

  async #snapshots(): Promise<Snapshot[]> {
    const manifest = await this.#manifests.findOne({ _id: manifestId }, new QueryTime().limit())
    const snapshots = Snapshots.safeParse(manifest?.snapshots ?? [])
    // The manifest is read every few seconds: damage is logged once.
    if (!snapshots.success && !this.#isDamageLogged) {
      this.#log.warn('the export manifest is damaged: no exports until the next snapshot is written')
    }
    this.#isDamageLogged = !snapshots.success
    return snapshots.data ?? []
  }

  /**
   * Removes old files that the manifest does not list, also those of interrupted writes. Their ids contain the time of
   * creation. An error is only logged: the next publication tries again.
   */
  async #removeUnnamed(): Promise<void> {
    try {
      const listed = (await this.#snapshots()).flatMap(({ files }) => files.map(({ fileId }) => fileId))
      const before = ObjectId.createFromTime(Math.floor((Date.now() - this.#keepMs) / 1_000))
      const unlisted = { $lt: before, $nin: listed }
      for await (const { _id } of this.#bucket.find({ _id: unlisted })) {
        await this.#bucket.delete(_id)
      }
      await this.#chunks.deleteMany({ files_id: unlisted })
    } catch (error) {
      this.#log.warn({ err: error }, 'old export files could not be deleted')
    }
  }
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof MongoError
      ? unavailable('exports_unavailable', 'The export files cannot be read.', 30, error)
      : error
  }
}

const notWritten = (cause: unknown) =>
  operatorError(
    'exports_not_written',
    'The export files could not be written to MongoDB; the published ones are unchanged. ' +
      'Check that it is running, has free disk space and allows this user to write, then run the export again.',
    cause,
  )
