import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Piscina } from 'piscina'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { openThreadPool } from '../../../shared/runtime/thread-pool.js'
import type { DatasetCall, DatasetThreadData } from './dataset-thread.js'
import type { Row } from './read-catalog.js'

const folderPrefix = 'skill-catalog-dataset-'

/** A folder in which nothing was written for this long belongs to a process that was killed. */
const abandonedMs = 3_600_000

/** By default a thread's heap grows to hundreds of megabytes before garbage is collected. */
const maxYoungGenerationSizeMb = 4
const maxOldGenerationSizeMb = 64

/** The files of one dataset while they are written: in a folder of their own, by a thread of its own. */
export class DatasetFiles {
  readonly folder: string
  /** The rows so far. */
  readonly counts: Record<RecordType, number> = { skills: 0, prompts: 0, organizations: 0 }
  readonly #pool: Piscina<DatasetCall, string | null>

  private constructor(folder: string, metadata: DatasetThreadData['metadata']) {
    this.folder = folder
    const data: DatasetThreadData = { folder, metadata }
    this.#pool = openThreadPool(import.meta.resolve('./dataset-thread.js'), data, {
      minThreads: 0,
      maxThreads: 1,
      resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
    })
  }

  /**
   * Starts the files in a new folder, and deletes the folders of killed processes.
   *
   * @param metadata what the files say of themselves, by name
   */
  static async create(workFolder: string, metadata: DatasetThreadData['metadata']): Promise<DatasetFiles> {
    await removeAbandoned(workFolder)
    return new DatasetFiles(await mkdtemp(join(workFolder, folderPrefix)), metadata)
  }

  /** Resolves when the rows are written. */
  async add(type: RecordType, rows: Row[]): Promise<void> {
    if (rows.length > 0) {
      await this.#pool.run({ add: type, rows })
      this.counts[type] += rows.length
    }
  }

  /**
   * Completes the files: `<type>.parquet` and `catalog.sqlite` in the folder.
   *
   * @returns equal for equal rows in the same order
   */
  async finish(): Promise<string> {
    return String(await this.#pool.run({ finish: true }))
  }

  /** Ends the thread, and deletes the folder. No call may be running. */
  async close(): Promise<void> {
    await this.#pool.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

async function removeAbandoned(workFolder: string): Promise<void> {
  for (const name of await readdir(workFolder)) {
    const folder = join(workFolder, name)
    if (name.startsWith(folderPrefix) && (await lastWriteMs(folder)) < Date.now() - abandonedMs) {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

async function lastWriteMs(folder: string): Promise<number> {
  const paths = [folder, ...recordTypes.map((type) => join(folder, `${type}.parquet`)), join(folder, 'catalog.sqlite')]
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
  return Math.max(...found.map((each) => each?.mtimeMs ?? 0))
}
