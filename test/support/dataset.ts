import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import Database from 'libsql'
import type { ExportFile, ExportStore } from '../../shared/ports/export-store.js'
import { temporaryFolder } from './temporary-folder.js'

/** Saves a file of the newest dataset, and returns its path. */
export async function saveFile(
  datasets: Pick<ExportStore, 'snapshots' | 'open'>,
  type: ExportFile['type'],
  format: ExportFile['format'],
): Promise<string> {
  const [newest] = await datasets.snapshots()
  const file = newest?.files.find((each) => each.type === type && each.format === format)
  const stream = file === undefined ? null : await datasets.open(file.sha256, null)
  if (stream === null) {
    throw new Error(`there is no file ${type}.${format}`)
  }
  const path = join(mkdtempSync(join(temporaryFolder(), 'saved-')), `${type}.${format}`)
  writeFileSync(path, Buffer.concat(await stream.toArray()))
  return path
}

/** The rows of a Parquet file, with its metadata. */
export async function readParquet(path: string) {
  const zstd = await Zstd.load()
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const compressors = { ZSTD: (bytes: Uint8Array) => zstd.decompress(bytes) }
  const rows = await parquetReadObjects({ file, compressors })
  return { metadata, rows }
}

/** The rows of a query on an SQLite file. */
export function querySqlite(path: string, sql: string): Record<string, unknown>[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    db.close()
  }
}
