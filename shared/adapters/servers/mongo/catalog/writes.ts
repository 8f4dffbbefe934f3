import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import type { PutCounts, PutResult } from '../../../../ports/record-writer.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import { operatorError, unavailable } from '../../../../runtime/errors.js'
import { isSameRecord, stateToWrite } from '../../../../write-outcome.js'
import { type RejectedWrites, writeUnordered } from '../bulk-write.js'
import { type Stamper, stampUpdate } from '../ingest/stamper.js'
import { deriveMetadata, findMetadata } from './catalog-metadata.js'
import { documentToStored, metadataField } from './document.js'
import { readBatches, readDocuments } from './read-documents.js'
import { decidingMembers, unchangedSince } from './unchanged.js'

const idOf = `${metadataField}.id`

/** The maximum number of attempts to write a record that other programs keep changing. */
const maxAttempts = 5

/** A collection of records, the stamper for documents of other applications in it, and the database's time. */
export interface RecordCollection<T extends RecordType> {
  collection: Collection
  type: T
  settings: DocumentSettings
  stamper: Stamper
  now: Date
}

/**
 * Adds or replaces whole records; see the port. A record is written only while its document is as it was read;
 * otherwise it is read and planned again. A failed call may have written some of the records; repeating it is harmless.
 *
 * @throws AppError `records_contended` (503) when other programs keep changing a document
 */
export async function putRecords<T extends RecordType>(
  target: RecordCollection<T>,
  records: StoredRecords[T][],
  keepHidden: ReadonlySet<string>,
  holdChanges: boolean,
): Promise<PutResult> {
  const { type } = target
  const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
  const held: string[] = []
  let waiting = new Map<string, StoredRecords[RecordType]>(records.map((record) => [recordId(type, record), record]))
  await retryRefused(async () => {
    const planned = await planWrites(target, waiting, keepHidden)
    const isHeld = ({ outcome }: Plan): boolean => holdChanges && outcome === 'changed'
    const plans = planned.filter((plan) => !isHeld(plan))
    held.push(...planned.filter(isHeld).map(({ id }) => id))
    const refused = new Set(await writePlans(target, plans))
    for (const plan of plans) {
      if (plan.outcome !== 'stale' && !refused.has(plan)) {
        counts[plan.outcome] += 1
      }
    }
    waiting = new Map([...refused].map(({ id, record }) => [id, record]))
    return [...refused]
  }, target)
  return holdChanges ? { ...counts, held } : counts
}

/**
 * Turns records into tombstones; see the port. Writes only the state of a document, so that writes of other
 * applications are not lost.
 *
 * @throws AppError `records_contended` (503) when other programs keep changing a document
 */
export async function removeRecords<T extends RecordType>(target: RecordCollection<T>, ids: string[]): Promise<number> {
  const { collection, type, settings, now } = target
  const present: Filter<Document> = {
    [idOf]: { $in: [...new Set(ids)] },
    [`${metadataField}.state`]: { $ne: 'removed' },
  }
  const removal = { state: 'removed', removedAt: now.toISOString() }
  let removed = 0
  await retryRefused(async () => {
    const read: Read[] = []
    let matched = 0
    for await (const documents of readBatches(collection, present, ids.length)) {
      const found = documents.flatMap((before) => {
        const { id } = findMetadata(before)
        return id === undefined ? [] : [{ id, before }]
      })
      const current = found.filter(({ id, before }) =>
        isRecord(type, id, documentToStored(type, before, settings.fields)),
      )
      const written = await writeUnordered(
        collection,
        current.map(({ before }) => ({
          updateOne: {
            filter: unchangedSince(before, type, settings),
            update: stampUpdate(deriveMetadata(type, { ...before, ...removal }, settings, now), removal),
          },
        })),
      )
      refuse(type, written, (place) => current[place]?.id)
      matched += written.matched
      read.push(...found.map(({ id, before }) => ({ id, before: { _id: before['_id'] } })))
    }
    removed += matched
    // The result does not report the rejected ones: the next attempt reads all again.
    return matched < read.length ? read : []
  }, target)
  return removed
}

/**
 * Repeats a write until nothing of it is rejected. Another application has changed the document of a rejected write, or
 * added one with the same id; these documents are stamped before the next attempt.
 */
async function retryRefused<T extends RecordType>(
  attempt: () => Promise<Read[]>,
  { collection, stamper, now }: RecordCollection<T>,
): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const refused = await attempt()
    if (refused.length === 0) {
      return
    }
    if (attempts === maxAttempts) {
      const ids = refused.map(({ id }) => id)
      throw unavailable(
        'records_contended',
        `Other programs keep changing ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''} ` +
          'while they are written. What was written before stays; run it again.',
        5,
      )
    }
    const identities = refused.map(({ id, before }) => before?.['_id'] ?? id)
    for await (const documents of readBatches(collection, { _id: { $in: identities } }, identities.length)) {
      await stamper.stamp(documents, now)
    }
  }
}

/** A document that was found for a record. */
interface Read {
  id: string
  /** What the write depends on of the document as it was read; null: the record has none. */
  before: Document | null
}

/** The planned write of one record. */
interface Plan extends Read {
  record: StoredRecords[RecordType]
  /** `stale`: the document has become another record's and must be stamped first. */
  outcome: keyof PutCounts | 'stale'
  /** The document to write; null: none. */
  document: Document | null
}

async function planWrites<T extends RecordType>(
  target: RecordCollection<T>,
  records: ReadonlyMap<string, StoredRecords[RecordType]>,
  keepHidden: ReadonlySet<string>,
): Promise<Plan[]> {
  const { collection } = target
  const plans = new Map<string, Plan>()
  for await (const document of readDocuments(collection, { [idOf]: { $in: [...records.keys()] } })) {
    const { id = '' } = findMetadata(document)
    const record = records.get(id)
    if (record !== undefined) {
      plans.set(id, planWrite(target, { id, record, before: document }, keepHidden.has(id)))
    }
  }
  const added = [...records].filter(([id]) => !plans.has(id))
  const taken = await identitiesTaken(
    collection,
    added.map(([id]) => id),
  )
  for (const [id, record] of added) {
    const document = { _id: taken.has(id) ? new ObjectId() : id, ...withoutTime(record) }
    plans.set(id, { id, record, before: null, outcome: 'added', document })
  }
  return [...plans.values()]
}

/** The write of a record whose document exists. */
function planWrite<T extends RecordType>(
  { type, settings }: RecordCollection<T>,
  { id, record, before }: { id: string; record: StoredRecords[RecordType]; before: Document },
  keepsHidden: boolean,
): Plan {
  const stored = documentToStored(type, before, settings.fields)
  // Without the rest: the documents of a batch may be large.
  const plan = { id, record, before: decidingMembers(before, type, settings), document: null }
  if (!isRecord(type, id, stored)) {
    return { ...plan, outcome: 'stale' }
  }
  const state = stateToWrite(record.state, stored['state'], keepsHidden)
  if (isSameRecord(stored, { ...record, state })) {
    return { ...plan, outcome: 'unchanged' }
  }
  const rest = withoutTime(record)
  const staysHidden = state !== record.state
  const content = staysHidden ? { ...withoutState(rest), ...hidingFields(before, type, settings) } : rest
  const document = { _id: before['_id'], ...content, [metadataField]: before[metadataField] }
  return { ...plan, outcome: 'changed', document }
}

/** The time of indexing is the store's own. */
function withoutTime(record: object): Record<string, unknown> {
  const { indexedAt: _ours, ...rest } = record as Record<string, unknown>
  return rest
}

const withoutState = ({ state: _given, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

/** The fields that hide a document stay as written, so that their writer can reset them. */
function hidingFields(document: Document, type: RecordType, { fields }: DocumentSettings): Document {
  const names = [...fields[type].state, ...fields[type].hidden]
  return Object.fromEntries(names.filter((name) => document[name] !== undefined).map((name) => [name, document[name]]))
}

/** Whether a stamped document is still the record of this id: it may have been renamed since. */
const isRecord = (type: RecordType, id: string, stored: Record<string, unknown>): boolean =>
  recordId(type, stored as unknown as StoredRecords[RecordType]) === id

/** New documents have their id as `_id`, unless a document that has become another record has this `_id`. */
async function identitiesTaken(collection: Collection, ids: string[]): Promise<Set<unknown>> {
  const taken = new Set<unknown>()
  if (ids.length > 0) {
    const wanted: Filter<Document> = { _id: { $in: ids as unknown[] as ObjectId[] } }
    for await (const document of collection.find(wanted, { projection: { _id: 1 } })) {
      taken.add(document['_id'])
    }
  }
  return taken
}

/**
 * Writes documents whole, with their catalog metadata.
 *
 * A replacement is an upsert: where the document is no longer as it was read, its filter finds nothing, and the insert
 * that follows is rejected as a duplicate `_id`. So the server reports each of them by its position. Where the document
 * was deleted, the record is inserted.
 *
 * @returns the plans that failed because another application wrote first
 */
async function writePlans<T extends RecordType>(target: RecordCollection<T>, plans: Plan[]): Promise<Plan[]> {
  const { collection, type, settings, now } = target
  const written: Plan[] = []
  const writes: AnyBulkWriteOperation<Document>[] = []
  for (const plan of plans) {
    if (plan.document !== null) {
      const document: Document = {
        ...plan.document,
        [metadataField]: deriveMetadata(type, plan.document, settings, now),
      }
      const { _id, ...replacement } = document
      written.push(plan)
      writes.push(
        plan.before === null
          ? { insertOne: { document } }
          : { replaceOne: { filter: unchangedSince(plan.before, type, settings), replacement, upsert: true } },
      )
    }
  }
  const outcome = await writeUnordered(collection, writes)
  refuse(type, outcome, (place) => written[place]?.id)
  const overtaken = new Set(outcome.duplicates)
  return [
    ...plans.filter(({ outcome }) => outcome === 'stale'),
    ...written.filter((_, position) => overtaken.has(position)),
  ]
}

/** @throws AppError `document_refused` where the database did not accept a document */
function refuse(type: RecordType, { refused: [first] }: RejectedWrites, idAt: (place: number) => string | undefined) {
  if (first !== undefined) {
    throw operatorError(
      'document_refused',
      `MongoDB does not accept the document of ${idAt(first.place)}: ${first.reason}. ` +
        `Change the record, or the validator of the collection ${type}.`,
    )
  }
}
