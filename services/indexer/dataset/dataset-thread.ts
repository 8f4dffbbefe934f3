import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { workerData } from 'piscina'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { answering } from '../../../shared/runtime/thread-pool.js'
import { ParquetFile } from './parquet-file.js'
import type { Row } from './read-catalog.js'
import { SqliteFile } from './sqlite-file.js'

/** What the thread is started with. */
export interface DatasetThreadData {
  folder: string
  /** What the files say of themselves, by name. */
  metadata: Record<string, string | null>
}

export type DatasetCall = { add: RecordType; rows: Row[] } | { finish: true }

/** Opened by the first call: a module of a thread that fails to load would be loaded again and again. */
let files: ReturnType<typeof openFiles> | null = null

/**
 * Writes rows into the files, or completes them; the entry point of the thread. Its result is the SHA-256 of the rows of each
 * table when the files are complete, else null.
 */
export default answering(async (call: DatasetCall): Promise<string | null> => {
  files ??= openFiles(workerData as DatasetThreadData)
  const { sqlite, tables, hashes } = await files
  if ('rows' in call) {
    const { add: type, rows } = call
    for (const row of rows) {
      hashes[type].update(`${JSON.stringify(row)}\n`)
    }
    sqlite.add(type, rows)
    tables[type].add(rows)
    return null
  }
  for (const type of recordTypes) {
    tables[type].finish()
  }
  sqlite.finish()
  return recordTypes.map((type) => hashes[type].digest('hex')).join(' ')
})

async function openFiles({ folder, metadata }: DatasetThreadData) {
  const zstd = await Zstd.load()
  const compress = (bytes: Uint8Array) => zstd.compress(bytes)
  const known = Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== null)
  const table = (type: RecordType) =>
    new ParquetFile(join(folder, `${type}.parquet`), type, Object.fromEntries(known), compress)
  return {
    sqlite: new SqliteFile(join(folder, 'catalog.sqlite'), metadata),
    tables: { skills: table('skills'), prompts: table('prompts'), organizations: table('organizations') },
    // One for each table: the rows of two tables arrive in turns, in no fixed order.
    hashes: { skills: createHash('sha256'), prompts: createHash('sha256'), organizations: createHash('sha256') },
  }
}
