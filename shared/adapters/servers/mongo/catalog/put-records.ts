import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import type { PutCounts, PutResult } from '../../../../ports/record-writer.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { lifecycleFields } from '../../../../records/field-names.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import { isSameRecord, stateToWrite } from '../../../../write-outcome.js'
import { writeUnordered } from '../bulk-write.js'
import {
  decidingMembers,
  documentsById,
  isObject,
  isRecord,
  type Read,
  type RecordCollection,
  refuse,
  retryRefused,
  unchangedSince,
} from './contended-writes.js'
import { documentToStored } from './document.js'

/**
 * Adds or replaces whole records; see the port. A record is written only while its document is as it was read;
 * otherwise it is read and planned again. A failed call may have written some of the records; repeating it is harmless.
 *
 * @returns what was put, and the documents as they were written
 * @throws AppError `records_contended` (503) when other programs keep changing a document
 */
export async function putRecords<T extends RecordType>(
  target: RecordCollection<T>,
  records: StoredRecords[T][],
  keepHidden: ReadonlySet<string>,
  holdChanges: boolean,
): Promise<{ result: PutResult; written: { document: Document; added: boolean }[] }> {
  const { type } = target
  const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
  const held: string[] = []
  const written: { document: Document; added: boolean }[] = []
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
        written.push(...(plan.document === null ? [] : [{ document: plan.document, added: plan.before === null }]))
      }
    }
    waiting = new Map([...refused].map(({ id, record }) => [id, record]))
    return [...refused]
  }, target)
  return { result: holdChanges ? { ...counts, held } : counts, written }
}

/** The planned write of one record. */
interface Plan extends Read {
  record: StoredRecords[RecordType]
  /** `stale`: the document has become another record's, and must be read again. */
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
  for await (const { id, document } of documentsById(target, [...records.keys()])) {
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
  const stored = documentToStored(type, before, settings)
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
  const content = staysHidden ? hiddenAs(before, rest, type, settings) : rest
  const document = { _id: before['_id'], ...content }
  return { ...plan, outcome: 'changed', document }
}

/** The time of indexing is the store's own. */
function withoutTime(record: object): Record<string, unknown> {
  const { indexedAt: _ours, ...rest } = record as Record<string, unknown>
  return rest
}

/**
 * A record as a document that stays hidden. The fields that hide it stay as written, so that their writer can reset them;
 * where that is a member of an object, its state says so instead.
 */
function hiddenAs(before: Document, record: Document, type: RecordType, settings: DocumentSettings): Document {
  const names: Record<string, readonly string[]> = settings.fields[type]
  const hiding = lifecycleFields.flatMap((field) => names[field] ?? [])
  const kept = hiding.filter((name) => before[name] !== undefined && !isObject(before[name]))
  const { state: _given, ...rest } = record
  const content = { ...rest, ...Object.fromEntries(kept.map((name) => [name, before[name]])) }
  const isHidden = documentToStored(type, { _id: before['_id'], ...content }, settings)['state'] === 'hidden'
  const [stateName = 'state'] = names['state'] ?? []
  return isHidden ? content : { ...content, [stateName]: 'hidden' }
}

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
 * Writes documents whole.
 *
 * A replacement is an upsert: where the document is no longer as it was read, its filter finds nothing, and the insert
 * that follows is rejected as a duplicate `_id`. So the server reports each of them by its position. Where the document
 * was deleted, the record is inserted.
 *
 * @returns the plans that failed because another application wrote first
 */
async function writePlans<T extends RecordType>(target: RecordCollection<T>, plans: Plan[]): Promise<Plan[]> {
  const { collection, type, settings } = target
  const written: Plan[] = []
  const writes: AnyBulkWriteOperation<Document>[] = []
  for (const plan of plans) {
    if (plan.document !== null) {
      const { document } = plan
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
