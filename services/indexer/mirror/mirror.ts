import type { Catalog } from '../../../shared/ports/catalog.js'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { idPages } from '../import/record-ids.js'
import type { VerifyingKey } from '../signing/minisign.js'
import type { SourceCatalog } from './source-catalog.js'

/** The types without a change feed. They always come from snapshots. */
export const snapshotTypes = ['prompts', 'organizations'] as const

/** The progress of a mirror, stored in its catalog. */
export interface MirrorState {
  /** The address of the source. */
  url: string
  /** Which catalog it is, see `LogBounds`; null: it does not say so. */
  catalog: string | null
  /** The position in the source's changes after which the next run continues. */
  since: number
  /** Whether the copy has all skills up to that position; false until a copy from the start is complete. */
  complete: boolean
  /** Whether it may contain skills that the source has removed: an interrupted copy then starts again. */
  stale: boolean
  /** The last copied file by type; absent before the first one. */
  copied: Partial<Record<RecordType, CopiedFile>>
}

/** A snapshot file that was copied completely. */
interface CopiedFile {
  /** The time of the snapshot, ISO-8601. */
  generatedAt: string
  /** Empty while the copy may have other records of this type. */
  sha256: string
  /** Records in the file. */
  rows: number
  /** Records at the source. */
  total: number
}

/** The state of a new mirror. */
export const emptyState = (url: string): MirrorState => ({
  url,
  catalog: null,
  since: 0,
  complete: false,
  stale: false,
  copied: {},
})

/**
 * The stored state of a mirror, or that of a new one.
 *
 * @param folder as given by the operator, for messages
 * @throws AppError `folder_not_a_mirror` when the folder contains another catalog
 */
export async function readMirrorState(catalog: Catalog, url: string, folder: string): Promise<MirrorState> {
  const state = await catalog.readState<MirrorState>(stateKeys.mirror)
  if (state === null && !(await isEmpty(catalog))) {
    throw operatorError('folder_not_a_mirror', `${folder} contains another catalog. Choose an empty folder.`)
  }
  if (state !== null && state.url !== url) {
    throw operatorError('folder_not_a_mirror', `${folder} is a mirror of ${state.url}. Choose another folder.`)
  }
  // Earlier versions did not copy prompts and organizations: their state has no `copied`.
  return { ...emptyState(url), ...state }
}

async function isEmpty(catalog: Catalog): Promise<boolean> {
  const ids = await Promise.all(recordTypes.map((type) => catalog.listIds(type, null, 1)))
  return ids.flat().length === 0
}

/** What changes in the state of a copy whose records of a type are no longer those of the last copied file. */
export function withoutCopied({ copied }: MirrorState, type: RecordType): Partial<MirrorState> {
  const last = copied[type]
  return last === undefined ? {} : { copied: { ...copied, [type]: { ...last, sha256: '' } } }
}

/** Changes the state of a mirror, and stores it. */
export async function changeState(mirror: Mirror, changes: Partial<MirrorState>): Promise<void> {
  mirror.state = { ...mirror.state, ...changes }
  await mirror.catalog.writeState(stateKeys.mirror, mirror.state)
}

/** A copy of another catalog, and the current run on it. */
export interface Mirror {
  source: SourceCatalog
  catalog: Catalog
  /** For incomplete downloads. */
  folder: string
  state: MirrorState
  /** Files of snapshots are accepted when they are signed with this key; null: without a signature. */
  publicKey: VerifyingKey | null
  /** Whether skills follow the change feed, which is not signed; else they are those of the newest snapshot. */
  followsChanges: boolean
  /** The counts of this run. */
  counts: MirrorCounts
  display: MirrorDisplay
}

interface MirrorCounts {
  /** Added or changed records. */
  published: Record<RecordType, number>
  removed: Record<RecordType, number>
  /** Invalid records of the source, which were not stored. */
  rejected: number
  /** Rejected records without an id. */
  unidentified: number
  /** How many times the skills were copied again from the start. */
  restarts: number
  /** Where the copy of the skills started from; null: it existed. */
  from: 'export' | 'changes' | null
}

/** Shows the progress. */
interface MirrorDisplay {
  update(done: number, total: number | null, note: string): void
  report(line: string): void
}

/** The counts of a run that starts. */
export const noCounts = (): MirrorCounts => ({
  published: { skills: 0, prompts: 0, organizations: 0 },
  removed: { skills: 0, prompts: 0, organizations: 0 },
  rejected: 0,
  unidentified: 0,
  restarts: 0,
  from: null,
})

/** Further rejected records are only counted. */
const maxReported = 20

/** Maximum records of a file, and of one walk through responses: all their ids are kept in memory. */
export const maxRecords = 5_000_000

/** A response counts for at least this many records, so that empty ones are limited too. */
const minRecordsPerResponse = 100

/**
 * Limits a walk through responses of the source, which could be endless.
 *
 * @returns to be called with the number of records of each response; throws AppError `source_not_understood`
 */
export function boundWalk(source: SourceCatalog, path: string): (records: number) => void {
  let left = maxRecords
  return (records) => {
    left -= Math.max(records, minRecordsPerResponse)
    if (left < 0) {
      throw source.notUnderstood(path, `it continues after ${maxRecords} records`)
    }
  }
}

/** Counts and reports an invalid record of the source. */
export function rejectRecord({ counts, display }: Mirror, place: string, { id, reason }: Rejected): void {
  counts.rejected += 1
  counts.unidentified += id === null ? 1 : 0
  if (counts.rejected <= maxReported) {
    display.report(`rejected: ${place}: ${reason}`)
  } else if (counts.rejected === maxReported + 1) {
    display.report('Further rejected records are only counted.')
  }
}

interface Rejected {
  /** Null when the record has none. */
  id: string | null
  reason: string
}

/** Removes records from the copy that the source does not have. */
export async function removeRecords({ catalog, counts }: Mirror, type: RecordType, ids: string[]): Promise<void> {
  counts.removed[type] += ids.length === 0 ? 0 : await catalog.remove(type, ids)
}

/**
 * Removes all records of a type from the copy except these, unless a record without an id was rejected: it may be any of
 * them.
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
    mirror.display.report(`No ${type} are removed, because some rejected records have no id.`)
    return
  }
  for await (const ids of idPages(mirror.catalog, type)) {
    const gone = ids.filter((id) => !keep.has(id))
    await removeRecords(mirror, type, gone)
  }
}
