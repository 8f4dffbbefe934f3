import type { Readable } from 'node:stream'
import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import type { RecordType } from '../../../shared/records/records.js'
import { BatchWriter, type RecordSink, type WriteCounts } from './batch-writer.js'
import type { FoundSources, UnreadablePath } from './find-sources.js'
import { mapRecord } from './map-record.js'
import { readSource } from './read-source.js'
import { UnreadableSource } from './source.js'

/** A record that was not taken in. */
interface Rejection {
  /** Its file, and the line or record in it. */
  label: string
  place: string
  reason: string
}

/** Hears of an import as it goes on. */
export interface ImportWatcher {
  /** `bytes` more have been read from the sources, as they are stored. */
  read(bytes: number): void
  /** `total` records have been dealt with. */
  dealtWith(total: number): void
  rejected(rejection: Rejection): void
  /** A source that could not be read, or not to its end. */
  unreadable(path: UnreadablePath): void
}

export interface ImportCounts extends WriteCounts {
  /** Records found in the sources, rejected ones included. */
  read: number
  rejected: number
  /** Sources that were read to their end. */
  sourcesRead: number
  /** Sources that could not be read, or not to their end. */
  sourcesUnreadable: number
}

export interface ImportOptions<T extends RecordType> {
  type: T
  /** Where records go: the catalog, or a preview. */
  sink: RecordSink
  /** For an import that replaces: the catalog (null: it does not exist yet); absent for one that does not. */
  replaces?: Pick<CatalogStore, 'listIds'> | null
  stdin: Readable
  watcher: ImportWatcher
  /** Asks to stop behind the batch that is being written. */
  signal: AbortSignal
}

/** What an import did, and why it did not replace, if it should have. */
export interface ImportResult {
  counts: ImportCounts
  /** Null when nothing was to be replaced, or everything was. */
  notReplaced: string | null
}

/** How many ids are looked at, and removed, at once. */
const pageSize = 1_000

/**
 * Takes the records of sources into the catalog: new ones are added, known ones replaced, bad ones told and passed
 * over. Doing it twice changes nothing.
 */
export async function importRecords<T extends RecordType>(
  { sources, unreadable }: FoundSources,
  options: ImportOptions<T>,
): Promise<ImportResult> {
  const { type, sink, replaces, stdin, watcher, signal } = options
  const writer = new BatchWriter(type, sink)
  const totals = { read: 0, rejected: 0, sourcesRead: 0, sourcesUnreadable: unreadable.length }
  // Only a replacing import has to know every id: it is the one thing here that grows with the source.
  const seen = replaces === undefined ? null : new Set<string>()
  unreadable.forEach(watcher.unreadable)
  for (const source of sources) {
    try {
      for await (const item of readSource(source, type, stdin, watcher.read, signal)) {
        signal.throwIfAborted()
        totals.read += 1
        const mapped = 'reason' in item ? { ...item, id: null } : mapRecord(type, item.record)
        if (mapped.id !== null) {
          seen?.add(mapped.id)
        }
        if ('reason' in mapped) {
          totals.rejected += 1
          watcher.rejected({ label: source.label, place: item.place, reason: mapped.reason })
        } else {
          await writer.add(mapped.record, 'reason' in item ? 0 : item.sizeBytes, mapped.stateTold)
        }
        watcher.dealtWith(totals.read)
      }
      totals.sourcesRead += 1
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UnreadableSource)) {
        throw error
      }
      totals.sourcesUnreadable += 1
      watcher.unreadable({ label: source.label, reason: error.message })
    }
  }
  await writer.flush()
  const counts: ImportCounts = { ...totals, ...writer.counts }
  const notReplaced = seen === null ? null : reasonNotToReplace(counts)
  if (seen !== null && notReplaced === null) {
    counts.removed += await removeUnseen(type, seen, replaces ?? null, sink, signal)
  }
  return { counts, notReplaced }
}

/** What is missing in a source that was not read whole may still be there; an empty one is more likely a mistake. */
function reasonNotToReplace(counts: ImportCounts): string | null {
  if (counts.sourcesUnreadable > 0) {
    return 'not every source was read to its end'
  }
  return counts.read === counts.rejected ? 'no record was accepted' : null
}

async function removeUnseen(
  type: RecordType,
  seen: ReadonlySet<string>,
  catalog: Pick<CatalogStore, 'listIds'> | null,
  sink: RecordSink,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  let last: string | null = null
  while (catalog !== null) {
    signal.throwIfAborted()
    const ids: string[] = await catalog.listIds(type, last, pageSize)
    const unseen = ids.filter((id) => !seen.has(id))
    removed += unseen.length === 0 ? 0 : await sink.remove(type, unseen)
    last = ids.at(-1) ?? null
    if (last === null) {
      break
    }
  }
  return removed
}
