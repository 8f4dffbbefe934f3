import type { RecordType, StoredOrganization, StoredRecords } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { textAsKept } from '../../../shared/text/skill-text.js'
import { BatchWriter, HeldRecords, type RecordSink, type WriteCounts } from './batch-writer.js'
import type { FoundSources } from './find-sources.js'
import { type AcceptedRecord, type MappedRecord, mapRecord } from './map-record.js'
import { withRereadableSources } from './open-source.js'
import { type ReadOptions, type ReadRecord, type ReadTotals, readRecords } from './read-records.js'
import { IdSet, idPages } from './record-ids.js'

/** What was read, and what became of it. */
export type ImportCounts = WriteCounts & Omit<ReadTotals, 'unidentified' | 'missingPages' | 'areNamed' | 'likelyType'>

/** Options of an import. */
export interface ImportOptions<T extends RecordType> extends ReadOptions<T> {
  /** The destination of records: the catalog, or a preview. */
  sink: RecordSink
  /**
   * For an import that also removes the records that its sources lack: the maximum number of removals; null: the larger of
   * `freeRemovals` and `freeRemovalShare`.
   */
  replace?: { maxRemovals: number | null }
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
          importOnce(rereadable, options, held, await planReplacement(rereadable, replace.maxRemovals, options)),
        )
  } finally {
    held.close()
  }
}

async function importOnce<T extends RecordType>(
  found: FoundSources,
  options: ImportOptions<T>,
  held: HeldRecords<T>,
  replacement: Replacement<T> | null,
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

/** The maximum that `--replace` removes without `--allow-removing`: this number of records, or this share if larger. */
export const freeRemovals = 10
export const freeRemovalShare = 0.1

/**
 * Finds the records that a replacing import removes, before anything is written: reads the ids of the sources, then
 * those of the catalog.
 *
 * @throws AppError `too_many_removals` when there are more than the options allow
 */
async function planReplacement<T extends RecordType>(
  found: FoundSources,
  maxRemovals: number | null,
  options: ReadOptions<T>,
): Promise<Replacement<T>> {
  const sourceIds = new IdSet()
  const ignore = () => undefined
  const silent = { ...options.watcher, rejected: ignore, dropped: ignore, unreadable: ignore }
  const totals = await readRecords(found, { ...options, watcher: silent, textMode: 'off' }, ({ mapped }) => {
    for (const id of idsOf(mapped)) {
      sourceIds.add(id)
    }
  })
  const replacement = new Replacement(options.type)
  replacement.check(totals)
  if (replacement.refusal === null) {
    const stored = await collectMissing(options, sourceIds, replacement.ids)
    const allowed = maxRemovals ?? Math.max(freeRemovals, Math.floor(stored * freeRemovalShare))
    if (replacement.ids.size > allowed) {
      throw tooManyRemovals(options.type, replacement.ids.size, stored, allowed)
    }
  }
  return replacement
}

/** The records that a replacing import removes, unless the second reading of the sources shows a reason against it. */
class Replacement<T extends RecordType> {
  /** Ids of the catalog that the sources lack. */
  readonly ids = new Set<string>()
  /** Why nothing may be removed; null when it may. */
  refusal: string | null = null

  constructor(private readonly type: T) {}

  /** Checks a record that is being imported: the sources may have changed since their ids were read. */
  consider({ source, item, mapped }: ReadRecord<T>): void {
    for (const id of idsOf(mapped)) {
      this.ids.delete(id)
    }
    if (this.refusal === null && this.ids.size > 0 && 'record' in item) {
      const rowIds = item.rowsInCells?.().map((row) => mapRecord(this.type, row).id)
      const swallowed = rowIds?.find((id) => id !== null && this.ids.has(id))
      if (swallowed !== undefined) {
        this.refusal = `a quoted cell of ${source.label}, ${item.place}, seems to hold the row of ${swallowed}: a quote may be missing`
      }
    }
  }

  /** Refuses the removal unless all records of all sources were read and identified: others may be those to remove. */
  check({ read, rejected, unidentified, sourcesUnreadable, missingPages }: ReadTotals): void {
    if (sourcesUnreadable > 0) {
      this.refusal ??= 'not every source was read to its end'
    } else if (missingPages !== null) {
      this.refusal ??= missingPages
    } else if (unidentified > 0) {
      this.refusal ??=
        unidentified === 1
          ? `a rejected record does not say which of the ${this.type} it is`
          : `${unidentified} rejected records do not say which of the ${this.type} they are`
    } else if (read === rejected) {
      // Sources without accepted records are more likely a mistake.
      this.refusal ??= 'no record was accepted'
    }
  }
}

/** The ids that a record of the sources may have in the catalog. */
const idsOf = ({ id, titleId }: MappedRecord<RecordType>): string[] =>
  [id, titleId].filter((each) => each !== null && each !== undefined)

/**
 * Adds the ids of the catalog that the sources lack to `missing`, but not those of hidden records, which stay. Returns the
 * number of ids in the catalog.
 */
async function collectMissing(
  { type, catalog, signal }: Pick<ReadOptions<RecordType>, 'type' | 'catalog' | 'signal'>,
  sourceIds: IdSet,
  missing: Set<string>,
): Promise<number> {
  let stored = 0
  for await (const page of idPages(catalog, type)) {
    signal.throwIfAborted()
    stored += page.length
    const lacking = page.filter((id) => !sourceIds.has(id))
    for (const { id, stored: record } of (await catalog?.findStored(type, lacking, 'fields')) ?? []) {
      if (Object(record).state !== 'hidden') {
        missing.add(id)
      }
    }
  }
  return stored
}

const tooManyRemovals = (type: RecordType, removals: number, stored: number, allowed: number) =>
  operatorError(
    'too_many_removals',
    `--replace would remove ${removals} of the ${stored} ${type} in the catalog, and may remove ${allowed}. Nothing was ` +
      `written. If the sources are complete, allow it with --allow-removing ${removals}.`,
  )
