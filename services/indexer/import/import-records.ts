import type { RecordType, StoredOrganization, StoredRecords } from '../../../shared/records/records.js'
import { textAsKept } from '../../../shared/text/skill-text.js'
import { BatchWriter, HeldRecords, type RecordSink, type WriteCounts } from './batch-writer.js'
import type { FoundSources } from './find-sources.js'
import type { AcceptedRecord } from './map-record.js'
import { withRereadableSources } from './open-source.js'
import { planReplacement, type ReplaceOptions } from './plan-replacement.js'
import { type ReadOptions, type ReadTotals, readRecords } from './read-records.js'

/** What was read, and what became of it. */
export type ImportCounts = WriteCounts & Omit<ReadTotals, 'unidentified' | 'missingPages' | 'areNamed' | 'likelyType'>

/** Options of an import. */
export interface ImportOptions<T extends RecordType> extends ReadOptions<T> {
  /** The destination of records: the catalog, or a preview. */
  sink: RecordSink
  /** For an import that also removes the records that its sources lack; absent: removes none. */
  replace?: ReplaceOptions
}

/** The result of an import. */
export interface ImportResult {
  counts: ImportCounts
  /** Why records that the sources lack were not removed; null: they were, or were not to be. */
  notReplaced: string | null
  /** See `ReadTotals`, as the next one. */
  likelyType: RecordType | null
  areNamed: boolean
}

/** The number of records that are removed at once. */
const removalBatch = 1_000

/**
 * Imports the records of sources: adds new ones, replaces known ones, reports and skips bad ones. Idempotent. A
 * replacing import reads the sources twice: first to find the records to remove, then to import.
 *
 * @throws AppError `too_many_removals` before anything is written
 */
export async function importRecords<T extends RecordType>(
  found: FoundSources,
  options: ImportOptions<T>,
): Promise<ImportResult> {
  const { replace, stdin, signal } = options
  const held = new HeldRecords<T>()
  try {
    return replace === undefined
      ? await importOnce(found, options, held, null)
      : await withRereadableSources(found, stdin, signal, async (rereadable) =>
          importOnce(rereadable, options, held, await planReplacement(rereadable, replace, options)),
        )
  } finally {
    held.close()
  }
}

async function importOnce<T extends RecordType>(
  found: FoundSources,
  options: ImportOptions<T>,
  held: HeldRecords<T>,
  replacement: Awaited<ReturnType<typeof planReplacement<T>>> | null,
): Promise<ImportResult> {
  const { type, sink, signal, watcher, textMode = 'off' } = options
  let unknown = 0
  const writer = new BatchWriter(type, sink, held, ({ label, place, reason }) => {
    unknown += 1
    watcher.rejected({ label, place, reason: `${reason}; there is no record of this id whose state could change` })
  })
  const { unidentified, missingPages, likelyType, areNamed, ...totals } = await readRecords(
    found,
    options,
    async (read) => {
      replacement?.consider(read)
      const { mapped, item, source } = read
      const sizeBytes = 'sizeBytes' in item ? item.sizeBytes : 0
      if (mapped.change !== undefined) {
        const record: StoredRecords[T] | null = 'record' in mapped ? mapped.record : null
        const reason = 'reason' in mapped ? mapped.reason : null
        await writer.addState({ ...mapped.change, label: source.label, place: item.place, reason }, record, sizeBytes)
      } else if ('record' in mapped && isOwnerOnly(type, mapped)) {
        writer.counts.unchanged += 1
      } else if ('record' in mapped) {
        const { id, record, hasState, content, isPublicOnly } = mapped
        const isKept = content !== undefined && textMode !== 'off'
        const kept = isKept ? { ...content, id, text: textAsKept(textMode, content.text) } : undefined
        await writer.add(record, sizeBytes, hasState, { content: kept, isPublicOnly })
      }
    },
  ).finally(() => writer.settle())
  await writer.flush(signal)
  replacement?.check({ ...totals, unidentified, missingPages, likelyType, areNamed })
  const counts: ImportCounts = { ...totals, ...writer.counts, rejected: totals.rejected + unknown }
  const notReplaced = replacement?.refusal ?? null
  if (replacement !== null && notReplaced === null) {
    counts.removed += await remove(type, [...replacement.ids], sink, signal)
  }
  return { counts, notReplaced, likelyType, areNamed }
}

/** Whether a row of an export is that of an owner of whom its catalog knows only the skills. */
function isOwnerOnly<T extends RecordType>(type: T, { record, isPublicOnly }: AcceptedRecord<T>): boolean {
  const { name, description, url, avatarUrl, createdAt, updatedAt } = record as Partial<StoredOrganization>
  const own = [name, description, url, avatarUrl, createdAt, updatedAt]
  return type === 'organizations' && isPublicOnly === true && own.every((value) => value === null)
}

async function remove(type: RecordType, ids: string[], sink: RecordSink, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (let start = 0; start < ids.length; start += removalBatch) {
    signal.throwIfAborted()
    removed += await sink.remove(type, ids.slice(start, start + removalBatch))
  }
  return removed
}
