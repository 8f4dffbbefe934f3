import type { RecordType } from '../../../shared/records/records.js'
import { BatchWriter, type RecordSink, type WriteCounts } from './batch-writer.js'
import type { FoundSources } from './find-sources.js'
import { planReplacement, type ReplaceOptions } from './plan-replacement.js'
import { type ReadOptions, type ReadTotals, readRecords } from './read-records.js'
import { withRereadableSources } from './rereadable-sources.js'

export type ImportCounts = WriteCounts & Omit<ReadTotals, 'unidentified'>

export interface ImportOptions<T extends RecordType> extends ReadOptions<T> {
  /** Where records go: the catalog, or a preview. */
  sink: RecordSink
  /** For an import that also removes what its sources do not hold; absent for one that does not. */
  replace?: ReplaceOptions
}

/** What an import did, and why it did not replace, if it should have. */
export interface ImportResult {
  counts: ImportCounts
  /** Null when nothing was to be replaced, or everything was. */
  notReplaced: string | null
}

/** How many records are removed at once. */
const removalBatch = 1_000

/**
 * Imports the records of sources: new ones are added, known ones replaced, bad ones reported and skipped. Doing it
 * twice changes nothing. One that replaces reads the sources twice: for what it may remove, and then to import them.
 *
 * @throws AppError `too_many_removals` before anything is written
 */
export function importRecords<T extends RecordType>(
  found: FoundSources,
  options: ImportOptions<T>,
): Promise<ImportResult> {
  const { replace, stdin, signal } = options
  return replace === undefined
    ? importOnce(found, options, null)
    : withRereadableSources(found, stdin, signal, async (rereadable) =>
        importOnce(rereadable, options, await planReplacement(rereadable, replace, options)),
      )
}

async function importOnce<T extends RecordType>(
  found: FoundSources,
  options: ImportOptions<T>,
  replacement: Awaited<ReturnType<typeof planReplacement<T>>> | null,
): Promise<ImportResult> {
  const { type, sink, signal } = options
  const writer = new BatchWriter(type, sink)
  const { unidentified, ...totals } = await readRecords(found, options, async (read) => {
    replacement?.consider(read)
    if ('record' in read.mapped) {
      const { record, stateTold } = read.mapped
      await writer.add(record, 'sizeBytes' in read.item ? read.item.sizeBytes : 0, stateTold)
    }
  })
  await writer.flush()
  replacement?.check({ ...totals, unidentified })
  const counts: ImportCounts = { ...totals, ...writer.counts }
  const notReplaced = replacement?.refusal ?? null
  if (replacement !== null && notReplaced === null) {
    counts.removed += await remove(type, [...replacement.ids], sink, signal)
  }
  return { counts, notReplaced }
}

async function remove(type: RecordType, ids: string[], sink: RecordSink, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (let start = 0; start < ids.length; start += removalBatch) {
    signal.throwIfAborted()
    removed += await sink.remove(type, ids.slice(start, start + removalBatch))
  }
  return removed
}
