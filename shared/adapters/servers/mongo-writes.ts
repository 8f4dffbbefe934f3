import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import type { DocumentSettings } from '../../document-settings.js'
import { unavailable } from '../../errors.js'
import type { PutCounts } from '../../ports/catalog-store.js'
import { type RecordType, recordId, type StoredRecords } from '../../records/records.js'
import { isSameRecord, stateToWrite } from '../../write-outcome.js'
import { writeUnordered } from './mongo-bulk-write.js'
import { documentToStored, ownMember } from './mongo-document.js'
import { deriveOwnMember } from './mongo-own-member.js'
import { stampUpdate, type TakeIn } from './mongo-take-in.js'
import { unchangedSince } from './mongo-unchanged.js'

const idOf = `${ownMember}.id`

/** How often a record is read and decided again, because other programs changed it before it was written. */
const maxAttempts = 5

/** A collection of records, and what ingests the documents that other applications write into it. */
export interface RecordCollection<T extends RecordType> {
  collection: Collection
  type: T
  settings: DocumentSettings
  takeIn: TakeIn
}

/**
 * Adds or replaces records, each whole; see the port. A record is written only while its document is as it was read;
 * otherwise it is read again, and decided again what is to be written. A call that fails leaves some of the records
 * written; to put them all again is harmless.
 *
 * @throws AppError `records_contended` (503) when other programs change a document again and again
 */
export async function putRecords<T extends RecordType>(
  target: RecordCollection<T>,
  records: StoredRecords[T][],
  keepHidden: ReadonlySet<string>,
): Promise<PutCounts> {
  const { type } = target
  const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
  let waiting = new Map<string, StoredRecords[RecordType]>(records.map((record) => [recordId(type, record), record]))
  await retryRefused(async () => {
    const plans = await planWrites(target, waiting, keepHidden)
    const refused = new Set(await writePlans(target, plans))
    for (const plan of plans) {
      if (plan.outcome !== 'stale' && !refused.has(plan)) {
        counts[plan.outcome] += 1
      }
    }
    waiting = new Map([...refused].map(({ id, record }) => [id, record]))
    return [...refused]
  }, target)
  return counts
}

/**
 * Turns records into tombstones; see the port. Of a document only its state is written, so that nothing is lost of what
 * others write into it.
 *
 * @throws AppError `records_contended` (503) when other programs change a document again and again
 */
export async function removeRecords<T extends RecordType>(
  target: RecordCollection<T>,
  ids: string[],
  now: Date,
): Promise<number> {
  const { collection, type, settings } = target
  const present: Filter<Document> = { [idOf]: { $in: [...new Set(ids)] }, [`${ownMember}.state`]: { $ne: 'removed' } }
  const removal = { state: 'removed', removedAt: now.toISOString() }
  let removed = 0
  await retryRefused(async () => {
    const read = (await collection.find(present).toArray()).map((before) => ({ id: before[ownMember].id, before }))
    const current = read.filter(({ id, before }) => isRecord(type, id, documentToStored(type, before, settings.fields)))
    const writes = current.map(({ before }) => ({
      updateOne: {
        filter: unchangedSince(before, type, settings),
        update: stampUpdate(deriveOwnMember(type, { ...before, ...removal }, settings), removal),
      },
    }))
    const { matchedCount } =
      writes.length === 0 ? { matchedCount: 0 } : await collection.bulkWrite(writes, { ordered: false })
    removed += matchedCount
    // Which of them were refused is not reported: those that are not removed now.
    return matchedCount < read.length ? read : []
  }, target)
  return removed
}

/**
 * Repeats a write until nothing of it is refused. What was refused has been changed by another application, or is in its
 * way, and is ingested before the next attempt.
 */
async function retryRefused<T extends RecordType>(
  attempt: () => Promise<{ id: string; before: Document | null }[]>,
  { collection, takeIn }: RecordCollection<T>,
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
    await takeIn.stampAgain(await collection.find({ _id: { $in: identities } }).toArray())
  }
}

/** What is to be done with one record. */
interface Plan {
  id: string
  record: StoredRecords[RecordType]
  /** The record's document as it was read; null: there is none. */
  before: Document | null
  /** `stale`: the document is another record's by now and must be ingested before anything is decided. */
  outcome: keyof PutCounts | 'stale'
  /** What to write; null: nothing. */
  document: Document | null
}

async function planWrites<T extends RecordType>(
  target: RecordCollection<T>,
  records: ReadonlyMap<string, StoredRecords[RecordType]>,
  keepHidden: ReadonlySet<string>,
): Promise<Plan[]> {
  const { collection, type, settings } = target
  const present = new Map<string, Document>()
  for await (const document of collection.find({ [idOf]: { $in: [...records.keys()] } })) {
    present.set(document[ownMember].id, document)
  }
  const taken = await identitiesTaken(
    collection,
    [...records.keys()].filter((id) => !present.has(id)),
  )
  return [...records].map(([id, record]): Plan => {
    const { indexedAt: _ours, ...rest } = record as Record<string, unknown>
    const before = present.get(id) ?? null
    if (before === null) {
      return { id, record, before, outcome: 'added', document: { _id: taken.has(id) ? new ObjectId() : id, ...rest } }
    }
    const stored = documentToStored(type, before, settings.fields)
    if (!isRecord(type, id, stored)) {
      return { id, record, before, outcome: 'stale', document: null }
    }
    const state = stateToWrite(record.state, stored['state'], keepHidden.has(id))
    if (isSameRecord(stored, { ...record, state })) {
      return { id, record, before, outcome: 'unchanged', document: null }
    }
    const staysHidden = state !== record.state
    const content = staysHidden ? { ...withoutState(rest), ...hidingFields(before, type, settings) } : rest
    const document = { _id: before['_id'], ...content, [ownMember]: before[ownMember] }
    return { id, record, before, outcome: 'changed', document }
  })
}

const withoutState = ({ state: _given, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

/** What hides a document stays as it was written, so that its writer can undo it in the same way. */
function hidingFields(document: Document, type: RecordType, { fields }: DocumentSettings): Document {
  const names = [...fields[type].state, ...fields[type].hidden]
  return Object.fromEntries(names.filter((name) => document[name] !== undefined).map((name) => [name, document[name]]))
}

/** Whether a document that was ingested under an id still is that record: it may have been renamed since. */
const isRecord = (type: RecordType, id: string, stored: Record<string, unknown>): boolean =>
  recordId(type, stored as unknown as StoredRecords[RecordType]) === id

/** New documents have their id as `_id`, unless it belongs to one that says by now that it is something else. */
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
 * Writes documents whole, then has the database note the time by its own clock. Between the two they count as not
 * ingested yet, so that a crash there loses nothing.
 *
 * A replacement is an upsert: where the document is no longer as it was read, its filter finds nothing, and the insert
 * that follows is refused, because the `_id` is there. So the server reports each of them by its position. Where the
 * document was deleted, the record is inserted.
 *
 * @returns the plans that could not be carried out, because another application was faster
 */
async function writePlans<T extends RecordType>(target: RecordCollection<T>, plans: Plan[]): Promise<Plan[]> {
  const { collection, type, settings } = target
  const [written, documents]: [Plan[], Document[]] = [[], []]
  const writes: AnyBulkWriteOperation<Document>[] = []
  for (const plan of plans) {
    if (plan.document !== null) {
      const document: Document = { ...plan.document, [ownMember]: deriveOwnMember(type, plan.document, settings) }
      const { _id, ...replacement } = document
      written.push(plan)
      documents.push(document)
      writes.push(
        plan.before === null
          ? { insertOne: { document } }
          : { replaceOne: { filter: unchangedSince(plan.before, type, settings), replacement, upsert: true } },
      )
    }
  }
  const refused = new Set(await writeUnordered(collection, writes))
  const identities = documents.filter((_, position) => !refused.has(position)).map((document) => document['_id'])
  if (identities.length > 0) {
    await collection.updateMany(
      // Not those that were replaced whole meanwhile: with a time alone they would seem to be ingested.
      { _id: { $in: identities }, [`${ownMember}.changedAt`]: null, [idOf]: { $ne: null } },
      { $currentDate: { [`${ownMember}.changedAt`]: true } },
    )
  }
  return [
    ...plans.filter(({ outcome }) => outcome === 'stale'),
    ...written.filter((_, position) => refused.has(position)),
  ]
}
