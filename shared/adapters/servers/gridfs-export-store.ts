import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Binary, type Collection, type Db, GridFSBucket, MongoError, ObjectId } from 'mongodb'
import { z } from 'zod'
import { operatorError, unavailable } from '../../errors.js'
import type { Logger } from '../../log.js'
import type { ByteRange, ExportDraft, ExportSnapshot, ExportStore, SnapshotMoment } from '../../ports/export-store.js'
import { keptSnapshots, StoredFile, StoredMoment, toSnapshot } from '../stored-snapshot.js'
import { QueryTime } from './mongo-query-time.js'

/** Beside the collections of the files, `exports.files` and `exports.chunks`. */
const bucketName = 'exports'
const manifestId = 'manifest'

/** A download has one or two pieces in memory: small enough for a thousand at once, as large as files are read in. */
const chunkSizeBytes = 64 * 1024

/** An export file that is published, and where its bytes are. */
const PublishedFile = StoredFile.extend({ fileId: z.instanceof(ObjectId) })
type PublishedFile = z.infer<typeof PublishedFile>

const Snapshot = StoredMoment.extend({ files: z.array(PublishedFile) })
type Snapshot = z.infer<typeof Snapshot>

interface Manifest {
  _id: string
  /** The current one first. */
  snapshots: Snapshot[]
}

/** A piece of a file, as GridFS keeps it. */
interface Chunk {
  files_id: ObjectId
  n: number
  data: Binary
}

export interface GridFsExportStoreOptions {
  /** Stays open when the store is closed. */
  db: Db
  log: Logger
  /**
   * Milliseconds for which a file stays after it was written, though no manifest names it: longer than any download,
   * since a download reads on in the database, and longer than it takes to write a snapshot. Default an hour.
   */
  keepMs?: number
}

/**
 * Export files in MongoDB's GridFS, for any number of query instances: files never change, and one document, the
 * manifest, says which are published. Publishing is one write of it.
 */
export class GridFsExportStore implements ExportStore {
  readonly #bucket: GridFSBucket
  readonly #chunks: Collection<Chunk>
  readonly #manifests: Collection<Manifest>
  readonly #log: Logger
  readonly #keepMs: number
  #isDamageTold = false

  constructor({ db, log, keepMs }: GridFsExportStoreOptions) {
    this.#bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes })
    this.#chunks = db.collection<Chunk>(`${bucketName}.chunks`)
    this.#manifests = db.collection(`${bucketName}.manifests`)
    this.#log = log
    this.#keepMs = keepMs ?? 3_600_000
  }

  async publish(
    moment: SnapshotMoment,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
  ): Promise<ExportSnapshot> {
    const files: PublishedFile[] = []
    try {
      for await (const draft of drafts) {
        files.push(await this.#write(moment.snapshot, draft))
      }
      const others = (await this.#snapshots()).filter((other) => other.snapshot !== moment.snapshot)
      const snapshots = [{ ...moment, files }, ...others].slice(0, keptSnapshots)
      await this.#manifests.replaceOne({ _id: manifestId }, { snapshots }, { upsert: true })
    } catch (error) {
      throw error instanceof MongoError ? notWritten(error) : error
    } finally {
      await this.#removeUnnamed()
    }
    return toSnapshot({ ...moment, files })
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
        this.#log.warn({ file: file.fileId }, 'a published export file is missing: not served until the next snapshot')
        return null
      }
      const { start, end } = range ?? { start: 0, end: stored.length - 1 }
      return Readable.from(this.#read(stored._id, stored.chunkSize, start, end), { objectMode: false })
    })
  }

  async close(): Promise<void> {
    // The database is its opener's; downloads under way go on.
  }

  /**
   * Reads a file piece by piece, as fast as they are taken. The driver's own stream has 16 MB of it in memory from the
   * beginning, which a thousand downloads at once would multiply, and a cursor open for as long as the download lasts.
   */
  async *#read(fileId: ObjectId, chunkBytes: number, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let n = Math.floor(start / chunkBytes); n * chunkBytes <= end; n += 1) {
      const offset = n * chunkBytes
      const [from, to] = [Math.max(0, start - offset), Math.min(chunkBytes, end + 1 - offset)]
      const chunk = await this.#chunks.findOne({ files_id: fileId, n }, new QueryTime().limit())
      const bytes = chunk?.data.value().subarray(from, to)
      if (bytes?.length !== to - from) {
        throw new Error(`piece ${n} of the export file ${fileId} is missing or cut`)
      }
      yield bytes
    }
  }

  /** Writes one file. Its bytes are there, and are nobody's, until a manifest names it. */
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
    const snapshots = z.array(Snapshot).safeParse(manifest?.snapshots ?? [])
    // It is looked at every few seconds: told once is enough.
    if (!snapshots.success && !this.#isDamageTold) {
      this.#log.warn('the manifest of the exports is damaged: nothing counts as published until the next snapshot')
    }
    this.#isDamageTold = !snapshots.success
    return snapshots.data ?? []
  }

  /**
   * Removes old bytes that no manifest names, those of interrupted writes among them. Ids tell when they were made. A
   * failure is only told: the next time does it again.
   */
  async #removeUnnamed(): Promise<void> {
    try {
      const named = (await this.#snapshots()).flatMap(({ files }) => files.map(({ fileId }) => fileId))
      const before = ObjectId.createFromTime(Math.floor((Date.now() - this.#keepMs) / 1_000))
      const unnamed = { $lt: before, $nin: named }
      for await (const { _id } of this.#bucket.find({ _id: unnamed })) {
        await this.#bucket.delete(_id)
      }
      await this.#chunks.deleteMany({ files_id: unnamed })
    } catch (error) {
      this.#log.warn({ err: error }, 'old export files could not be removed')
    }
  }
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof MongoError
      ? unavailable('exports_unavailable', 'The export files cannot be read just now.', 30, error)
      : error
  }
}

const notWritten = (cause: unknown) =>
  operatorError(
    'exports_not_written',
    'The export files could not be written to MongoDB; the ones published before stay. ' +
      'See that it runs, has room on its disk and lets this user write, then run the export again.',
    cause,
  )
