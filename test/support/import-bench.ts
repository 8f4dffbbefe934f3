import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { importRecords } from '../../services/indexer/import/import-records.js'
import { PreviewSink } from '../../services/indexer/import/preview-sink.js'
import type { RecordType } from '../../shared/records/records.js'
import { openJobBench } from './job-bench.js'
import { temporaryFolder } from './temporary-folder.js'
import { withOverrides } from './with-overrides.js'

interface Options {
  type?: RecordType
  replace?: boolean
  maxRemovals?: number
  dryRun?: boolean
  recordsPerPut?: number
  signal?: AbortSignal
}

/** An empty catalog to import files into, and what the imports say. */
export async function openImportBench() {
  const bench = await openJobBench()
  const { catalog } = bench
  const messages: string[] = []

  /** Imports files of these contents; `-` is the standard input. */
  async function importFiles(files: Record<string, string | Buffer>, options: Options = {}) {
    const folder = temporaryFolder()
    const paths = Object.entries(files).map(([name, content]) => {
      if (name !== '-') {
        writeFileSync(join(folder, name), content)
      }
      return name === '-' ? '-' : join(folder, name)
    })
    const result = await importRecords(await findSources(paths, null, new AbortController().signal), {
      type: options.type ?? 'skills',
      sink: withOverrides(
        options.dryRun ? new PreviewSink(catalog) : catalog,
        options.recordsPerPut === undefined ? {} : { recordsPerPut: options.recordsPerPut },
      ),
      catalog,
      ...(options.replace ? { replace: { maxRemovals: options.maxRemovals ?? null } } : {}),
      stdin: Readable.from([Buffer.from(files['-'] ?? '')]),
      watcher: {
        read: () => undefined,
        dealtWith: () => undefined,
        dropped: () => undefined,
        rejected: ({ label, place, reason }) =>
          messages.push(`${label.replace(`${folder}/`, '')}, ${place}: ${reason}`),
        unreadable: ({ label, reason }) => messages.push(`${label.replace(`${folder}/`, '')} ${reason}`),
      },
      signal: options.signal ?? new AbortController().signal,
    })
    return { ...result, notReplaced: result.notReplaced?.replace(`${folder}/`, '') ?? null }
  }

  return { ...bench, messages, importFiles, ids: () => catalog.listIds('skills', null, 100) }
}
