import { Readable } from 'node:stream'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { type ImportResult, importRecords } from '../../services/indexer/import/import-records.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { RecordType } from '../../shared/records/records.js'
import { fileOf } from './import-input.js'

/**
 * Imports a file into a catalog.
 *
 * @param text the content of a new file of this name; absent: the file exists
 */
export async function importInto(
  catalog: Catalog,
  type: RecordType,
  name: string,
  text?: string | Buffer,
): Promise<ImportResult & { messages: string[] }> {
  const { signal } = new AbortController()
  const messages: string[] = []
  const result = await importRecords(
    await findSources([text === undefined ? name : fileOf(name, text)], null, signal),
    {
      type,
      sink: catalog,
      catalog,
      stdin: Readable.from([]),
      watcher: {
        read: () => undefined,
        dealtWith: () => undefined,
        rejected: ({ place, reason }) => messages.push(`${place}: ${reason}`),
        dropped: ({ place, reason }) => messages.push(`${place}: dropped: ${reason}`),
        unreadable: ({ reason }) => messages.push(reason),
      },
      signal,
    },
  )
  return { ...result, messages }
}
