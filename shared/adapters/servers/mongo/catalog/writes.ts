import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import type { PutCounts, PutResult, StateChange, StateResult } from '../../../../ports/record-writer.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { lifecycleFields } from '../../../../records/field-names.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import { operatorError, unavailable } from '../../../../runtime/errors.js'
import { inState, isSameRecord, stateToWrite } from '../../../../write-outcome.js'
import { type RejectedWrites, writeUnordered } from '../bulk-write.js'
import { type Stamper, stampUpdate } from '../ingest/stamper.js'
import { type CatalogMetadata, deriveMetadata, findMetadata } from './catalog-metadata.js'
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
 * Sets the states of records; see the port. Writes only the state of a document, so that writes of other applications
 * are not lost.
 *
 * @throws AppError `records_contended` (503) when other programs keep changing a document; `state_not_set` when a
 *   document says otherwise in a member of an object
 */
export async function setStates<T extends RecordType>(
  target: RecordCollection<T>,
  changes: StateChange[],
): Promise<StateResult> {
  const { collection, type, settings, now } = target
  const wanted = new Map(changes.map((change) => [change.id, change]))
  const known = new Set<string>()
  const changed = new Set<string>()
  await retryRefused(async () => {
    const left: Read[] = []
    known.clear()
    for await (const documents of readBatches(collection, { [idOf]: { $in: [...wanted.keys()] } }, wanted.size)) {
      const plans: StatePlan[] = []
      for (const before of documents) {
        const { id } = findMetadata(before)
        const change = id === undefined ? undefined : wanted.get(id)
        if (id !== undefined && change !== undefined) {
          const stored = documentToStored(type, before, settings.fields)
          known.add(id)
          if (!isRecord(type, id, stored)) {
            left.push({ id, before: { _id: before['_id'] } })
          } else if (inState(stored, change, now) !== null) {
            plans.push(planState(target, before, change, stored))
          }
        }
      }
      const written = await writeStates(target, plans)
      for (const plan of plans) {
        if (written.has(plan)) {
          changed.add(plan.id)
        } else {
          left.push({ id: plan.id, before: { _id: plan.before['_id'] } })
        }
      }
    }
    return left
  }, target)
  return { changed: [...changed], unknown: [...wanted.keys()].filter((id) => !known.has(id)) }
}

/** The planned write of the state of one document. */
interface StatePlan {
  id: string
  before: Document
  metadata: CatalogMetadata
  update: Document
}

/** @returns the plans that were carried out: the others found that another application had written first */
async function writeStates<T extends RecordType>(
  { collection, type, settings }: RecordCollection<T>,
  plans: StatePlan[],
): Promise<Set<StatePlan>> {
  if (plans.length === 0) {
    return new Set()
  }
  const result = await writeUnordered(
    collection,
    plans.map(({ before, update }) => ({ updateOne: { filter: unchangedSince(before, type, settings), update } })),
  )
  refuse(type, result, (place) => plans[place]?.id)
  if (result.matched === plans.length) {
    return new Set(plans)
  }
  // The result does not say which: those have the metadata of their plan.
  const identities = plans.map(({ before }) => before['_id'])
  const hashes = new Map<string, string | undefined>()
  const projection = { [metadataField]: 1 }
  for await (const found of readDocuments(collection, { _id: { $in: identities } }, { projection })) {
    hashes.set(String(found['_id']), findMetadata(found).hash)
  }
  return new Set(plans.filter(({ before, metadata }) => hashes.get(String(before['_id'])) === metadata.hash))
}

/** The update that gives a document a state, and unsets the other fields of its lifecycle. */
function planState<T extends RecordType>(
  { type, settings, now }: RecordCollection<T>,
  before: Document,
  change: StateChange,
  stored: Record<string, unknown>,
): StatePlan {
  const names: Record<string, readonly string[]> = settings.fields[type]
  const [stateName = 'state'] = names['state'] ?? []
  const [removedAtName = 'removedAt'] = names['removedAt'] ?? []
  const next = inState(stored, change, now)
  const set: Document = {
    [stateName]: change.state,
    ...(change.state === 'removed' ? { [removedAtName]: next?.removedAt } : {}),
  }
  const marked = { ...before, ...set }
  const without = (unwanted: string[]): Document =>
    Object.fromEntries(Object.entries(marked).filter(([name]) => !unwanted.includes(name)))
  const isSo = (document: Document) => documentToStored(type, document, settings.fields)['state'] === change.state
  const others = lifecycleFields
    .flatMap((field) => names[field] ?? [])
    // An object has other members too.
    .filter((name) => before[name] !== undefined && !(name in set) && !isObject(before[name]))
  // Of the others, those that contradict each by itself.
  const unset = isSo(marked) ? [] : others.filter((name) => !isSo(without(others.filter((other) => other !== name))))
  const after = without(unset)
  const { state } = documentToStored(type, after, settings.fields)
  if (state !== change.state) {
    throw operatorError(
      'state_not_set',
      `${change.id} stays ${state}: its document says so in a member of an object. Change the document in MongoDB.`,
    )
  }
  const metadata = deriveMetadata(type, after, settings, now)
  const removal = unset.length === 0 ? {} : { $unset: Object.fromEntries(unset.map((name) => [name, ''])) }
  return { id: change.id, before, metadata, update: { ...stampUpdate(metadata, set), ...removal } }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)

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
  const content = staysHidden ? hiddenAs(before, rest, type, settings) : rest
  const document = { _id: before['_id'], ...content, [metadataField]: before[metadataField] }
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
function hiddenAs(before: Document, record: Document, type: RecordType, { fields }: DocumentSettings): Document {
  const names: Record<string, readonly string[]> = fields[type]
  const hiding = lifecycleFields.flatMap((field) => names[field] ?? [])
  const kept = hiding.filter((name) => before[name] !== undefined && !isObject(before[name]))
  const { state: _given, ...rest } = record
  const content = { ...rest, ...Object.fromEntries(kept.map((name) => [name, before[name]])) }
  const isHidden = documentToStored(type, { _id: before['_id'], ...content }, fields)['state'] === 'hidden'
  const [stateName = 'state'] = names['state'] ?? []
  return isHidden ? content : { ...content, [stateName]: 'hidden' }
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
