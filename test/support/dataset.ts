import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import Database from 'libsql'
import type { ExportFile, ExportStore } from '../../shared/ports/export-store.js'
import { currentFile } from './export-drafts.js'
import { anOrganization, aPrompt, aSkill } from './factories.js'
import { type JobBench, openJobBench } from './job-bench.js'
import { temporaryFolder } from './temporary-folder.js'

/** Saves a file of the newest dataset, and returns its path. */
export async function saveFile(
  datasets: Pick<ExportStore, 'snapshots' | 'open'>,
  type: ExportFile['type'],
  format: ExportFile['format'],
): Promise<string> {
  const { sha256 } = await currentFile(datasets, type, format)
  const stream = await datasets.open(sha256, null)
  const path = join(temporaryFolder(), `${type}.${format}`)
  writeFileSync(path, Buffer.concat((await stream?.toArray()) ?? []))
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

/** A catalog in which every field of a skill, a prompt and an organization has a value, and others have none. */
export async function openDatasetBench(): Promise<JobBench> {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [
    aSkill({
      owner: 'Acme',
      repo: 'Full',
      name: 'Prüfung, "ganz" 🎉',
      description: 'Extracts tables\nfrom invoices',
      topics: ['pdf', 'ocr'],
      license: 'MIT',
      language: 'Python',
      homepage: 'https://acme.example/',
      url: 'https://github.example/Acme/Full',
      stars: 9_007_199_254_740_991,
      forks: 7,
      version: '1.0',
      archived: true,
      createdAt: '2024-01-02T03:04:05.678Z',
      updatedAt: '2025-01-02T03:04:05.678Z',
      publishedAt: '2024-06-02T03:04:05.678Z',
    }),
    aSkill({ owner: 'acme', repo: 'bare', topics: ['ocr'], url: null }),
    aSkill({ owner: 'acme-labs', repo: 'tool', stars: 5 }),
    aSkill({ owner: 'hidden', repo: 'one', state: 'hidden' }),
  ])
  await bench.catalog.put('prompts', [
    aPrompt({ id: 'greet', topics: ['hello'], content: 'Say "hi".' }),
    aPrompt({ id: 'gone', state: 'hidden' }),
  ])
  await bench.catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme, Inc.' })])
  return bench
}
