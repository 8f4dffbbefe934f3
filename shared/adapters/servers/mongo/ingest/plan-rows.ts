import type { Document } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { maxFormerIds } from '../../../../records/fields.js'
import { letterId, type RecordType } from '../../../../records/records.js'
import { inText } from '../../../../text/clean-text.js'
import type { RowDraft } from '../change-log/row-writer.js'
import { keyOf, type Row } from '../rows.js'
import { type Derived, deriveRow, duplicateReason, madeOf } from './derive-row.js'

/** Marks the letter of a duplicate: no name of an owner or repository contains it. */
export const duplicateMark = '#'

/** What the version before kept of a document in it. */
interface OldMetadata {
  indexedAt?: string
  previousIds?: string[]
  trend?: number
}

/** A document as it was read just now, and what it says. */
export interface ReadSource extends Derived {
  /** Its `_id`. */
  source: unknown
  /** What the version before has left in it. */
  old: OldMetadata
}

/** Reads what a document says. */
export const readSource = (type: RecordType, document: Document, settings: DocumentSettings): ReadSource => ({
  ...deriveRow(type, document, settings),
  source: document['_id'],
  old: oldMetadataOf(document),
})

/** The metadata that the version before has left in a document; of any shape, since other applications may have changed it. */
function oldMetadataOf(document: Document): OldMetadata {
  const { changedAt, previousIds, left, trend, state } = Object(document['_catalog'])
  const ids = [previousIds, left].find(Array.isArray) ?? []
  return state === 'rejected'
    ? {}
    : {
        ...(changedAt instanceof Date && !Number.isNaN(changedAt.getTime())
          ? { indexedAt: changedAt.toISOString() }
          : {}),
        previousIds: ids.filter((id: unknown) => typeof id === 'string'),
        ...(typeof trend === 'number' && trend > 0 ? { trend } : {}),
      }
}

/** A document that cannot be published. */
export interface RejectedSource {
  /** The id of its dead letter, see `letterId`. */
  id: string
  reason: string
  source: unknown
}

/**
 * Says which document has an id. Of several that name one, the one with its row keeps it.
 *
 * @param read the documents, together with those that hold the row of an id which one of them names
 * @param rows those of these documents, also of deleted ones, and those of the ids that the documents name
 * @returns `claims`: the documents that have a row, by its id
 */
export function claimIds(type: RecordType, read: ReadSource[], rows: Row[]) {
  const claims = new Map<string, ReadSource>()
  const rejected: RejectedSource[] = []
  const holders = bySourceOf(rows)
  const holds = ({ id, source }: ReadSource) => id !== null && holders.get(keyOf(source))?._id === id
  for (const each of [...read.filter(holds), ...read.filter((other) => !holds(other))]) {
    const { id, source, reason } = each
    if (id === null) {
      rejected.push({ id: letterId(type, inText(source)), reason: String(reason), source })
    } else if (claims.has(id)) {
      const letter = letterId(type, `${id}${duplicateMark}${inText(source)}`)
      rejected.push({ id: letter, reason: duplicateReason(type, id), source })
    } else {
      claims.set(id, each)
      rejected.push(...(reason === null ? [] : [{ id: letterId(type, id), reason, source }]))
    }
  }
  return { claims, rejected }
}

/**
 * The rows to write of documents, and of those that are gone.
 *
 * @param texts the digests of the texts that are kept of skills, by id
 * @returns `freed`: ids whose document is another one or gone: a duplicate may take them
 */
export function draftRows(
  type: RecordType,
  claims: ReadonlyMap<string, ReadSource>,
  rows: Row[],
  texts: ReadonlyMap<string, string>,
  now: Date,
): { drafts: RowDraft[]; freed: string[] } {
  const byId = new Map(rows.map((row) => [row._id, row]))
  const bySource = bySourceOf(rows)
  const drafts = [...claims].flatMap(([id, claim]) => {
    const known = { row: byId.get(id), earlier: bySource.get(keyOf(claim.source)) }
    return draftOf(type, id, claim, known, texts.get(id), now) ?? []
  })
  const gone = rows.filter(({ _id }) => !claims.has(_id))
  drafts.push(...gone.flatMap((row) => goneDraft(row, now)))
  return { drafts, freed: gone.map(({ _id }) => _id) }
}

const bySourceOf = (rows: Row[]): Map<string, Row> =>
  new Map(rows.flatMap((row) => (row.source === undefined ? [] : [[keyOf(row.source), row] as const])))

/** @param known.earlier the row that the document has had; `known.row`: that of the id which it says to have */
function draftOf(
  type: RecordType,
  id: string,
  claim: ReadSource,
  { row, earlier }: { row: Row | undefined; earlier: Row | undefined },
  kept: string | undefined,
  now: Date,
): RowDraft | null {
  const { state, record, keys } = claim
  const isPublished = state === 'published'
  const isNew = row === undefined || row.made === ''
  const old = isNew ? claim.old : {}
  const previousIds = previousIdsOf(id, earlier, old.previousIds ?? [])
  const isSkill = type === 'skills' && state !== 'rejected'
  const formerIds = isSkill ? [...new Set([...claim.formerIds, ...previousIds])] : []
  const contentHash = claim.contentHash ?? (row?.contentHash === undefined ? undefined : null)
  const isSame = row?.contentHash === contentHash && (row?.state === state || isNew)
  const indexedAt = (isSame ? (row?.indexedAt ?? old.indexedAt) : undefined) ?? now.toISOString()
  const text = isPublished ? kept : undefined
  const removedAt = claim.removedAt ?? (row?.state === 'removed' ? row.removedAt : undefined) ?? now.toISOString()
  const made = {
    state,
    keys: keys ?? undefined,
    removedAt: state === 'removed' ? removedAt : undefined,
    formerIds: formerIds.length === 0 ? undefined : formerIds,
    previousIds: previousIds.length === 0 ? undefined : previousIds,
    skillMd: claim.skillMd ?? undefined,
    text,
    contentHash,
  }
  const digest = madeOf(made, claim)
  if (row?.made === digest && keyOf(row.source) === keyOf(claim.source)) {
    return null
  }
  const logged =
    (row?.contentHash ?? null) !== (contentHash ?? null) ||
    (isPublished && !isNew && row.text !== text && type === 'skills')
  const recorded = type === 'skills' ? { ...record, indexedAt } : record
  return {
    logged,
    isNew: row === undefined,
    row: {
      _id: id,
      source: claim.source,
      ...made,
      made: digest,
      indexedAt,
      record: record === null ? undefined : JSON.stringify(recorded),
      trend: old.trend,
      ...(logged ? {} : loggedBefore(row)),
    },
  }
}

/** A row whose document is gone. A skill that was never published leaves no removal: its existence is not public. */
function goneDraft(row: Row, now: Date): RowDraft[] {
  const wasListed = typeof row.contentHash === 'string'
  if (row.state === 'gone' && !wasListed) {
    return []
  }
  const contentHash = row.contentHash === undefined ? undefined : null
  const unlisted = row.contentHash === null ? loggedBefore(row) : { unlistedAt: now.toISOString() }
  return [
    {
      logged: wasListed,
      isNew: false,
      row: { _id: row._id, state: 'gone', made: 'gone', contentHash, ...unlisted },
    },
  ]
}

/** The members of the log of a row that is not logged again. */
const loggedBefore = (row?: Row) => ({
  sequence: row?.sequence,
  changedAt: row?.changedAt,
  unlistedAt: row?.unlistedAt,
})

function previousIdsOf(id: string, earlier: Row | undefined, old: string[]): string[] {
  const ids = new Set([...(earlier?.previousIds ?? []), ...old])
  if (earlier !== undefined && earlier._id !== id && earlier.state !== 'rejected') {
    ids.add(earlier._id)
  }
  ids.delete(id)
  return [...ids].slice(-maxFormerIds)
}
