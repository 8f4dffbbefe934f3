import type { RecordType } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { FoundSources } from './find-sources.js'
import { type MappedRecord, mapRecord } from './map-record.js'
import { type ReadOptions, type ReadRecord, type ReadTotals, readRecords } from './read-records.js'
import { IdSet, idPages } from './record-ids.js'

/** The maximum that `--replace` removes without `--allow-removing`: this number of records, or this share if larger. */
export const freeRemovals = 10
export const freeRemovalShare = 0.1

/** Options of an import that also removes the records that its sources lack. */
export interface ReplaceOptions {
  /** The maximum number of removals; null: the larger of `freeRemovals` and `freeRemovalShare`. */
  maxRemovals: number | null
}

/**
 * Finds the records that a replacing import removes, before anything is written: reads the ids of the sources, then
 * those of the catalog.
 *
 * @throws AppError `too_many_removals` when there are more than the options allow
 */
export async function planReplacement<T extends RecordType>(
  found: FoundSources,
  { maxRemovals }: ReplaceOptions,
  options: ReadOptions<T>,
): Promise<Replacement<T>> {
  const sourceIds = new IdSet()
  const silent = {
    ...options.watcher,
    rejected: () => undefined,
    dropped: () => undefined,
    unreadable: () => undefined,
  }
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
export class Replacement<T extends RecordType> {
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
