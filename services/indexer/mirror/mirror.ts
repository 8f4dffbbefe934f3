import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import type { RecordType } from '../../../shared/records/records.js'
import type { MirrorState } from './mirror-state.js'
import type { SourceCatalog } from './source-catalog.js'

/** A catalog that is a copy of another one, and the work on it. */
export interface Mirror {
  source: SourceCatalog
  catalog: CatalogStore
  /** For incomplete downloads. */
  folder: string
  state: MirrorState
  /** Since the command began. */
  counts: MirrorCounts
  display: MirrorDisplay
}

interface MirrorCounts {
  /** Records that were added or changed. */
  published: Record<RecordType, number>
  removed: Record<RecordType, number>
  /** Records of the source that were not stored, because they are invalid. */
  rejected: number
  /** Rejected records that do not even say which one they are. */
  unidentified: number
  /** How many times the copy had to be made again from its beginning. */
  restarts: number
  /** What the copy of the skills was begun with; null: it existed. */
  from: 'export' | 'changes' | null
}

/** Shows the progress. */
interface MirrorDisplay {
  update(done: number, total: number | null, note: string): void
  tell(line: string): void
}

/** Where nothing has been done yet. */
export const noCounts = (): MirrorCounts => ({
  published: { skills: 0, prompts: 0, organizations: 0 },
  removed: { skills: 0, prompts: 0, organizations: 0 },
  rejected: 0,
  unidentified: 0,
  restarts: 0,
  from: null,
})

/** How many rejected records are reported one by one. */
const maxReported = 20

/** How many ids are read or removed at a time. */
const pageSize = 1_000

/**
 * The most records of a file of the source, and of one walk through its answers, where an answer counts for
 * `minRecordsPerAnswer` at least: the ids of all of them are kept in memory.
 */
export const maxRecords = 5_000_000
const minRecordsPerAnswer = 100

/**
 * Ends a walk through answers of the source that would never end.
 *
 * @returns to be called with the number of records of each answer
 * @throws (the result) AppError `source_not_understood`
 */
export function boundWalk(source: SourceCatalog, path: string): (records: number) => void {
  let left = maxRecords
  return (records) => {
    left -= Math.max(records, minRecordsPerAnswer)
    if (left < 0) {
      throw source.notUnderstood(path, `it goes on after ${maxRecords} records`)
    }
  }
}

/** Counts and reports a record of the source that cannot be stored. */
export function rejectRecord({ counts, display }: Mirror, place: string, { id, reason }: Rejected): void {
  counts.rejected += 1
  counts.unidentified += id === null ? 1 : 0
  if (counts.rejected <= maxReported) {
    display.tell(`rejected: ${place}: ${reason}`)
  } else if (counts.rejected === maxReported + 1) {
    display.tell('More records are rejected; the number comes at the end.')
  }
}

interface Rejected {
  /** Null when the record does not say which one it is. */
  id: string | null
  reason: string
}

/** Removes records from the copy that the source does not have. */
export async function removeRecords({ catalog, counts }: Mirror, type: RecordType, ids: string[]): Promise<void> {
  counts.removed[type] += ids.length === 0 ? 0 : await catalog.remove(type, ids)
}

/**
 * Removes all records of a type from the copy except these, unless a record of the source was rejected that may be any
 * of them.
 *
 * @param unidentified `counts.unidentified` before the records of the source were read
 */
export async function removeOthers(
  mirror: Mirror,
  type: RecordType,
  keep: ReadonlySet<string>,
  unidentified: number,
): Promise<void> {
  if (mirror.counts.unidentified > unidentified) {
    mirror.display.tell(`No ${type} are removed: some rejected records do not say which ones they are.`)
    return
  }
  let afterId: string | null = null
  do {
    const ids: string[] = await mirror.catalog.listIds(type, afterId, pageSize)
    const gone = ids.filter((id) => !keep.has(id))
    await removeRecords(mirror, type, gone)
    afterId = ids.at(-1) ?? null
  } while (afterId !== null)
}
