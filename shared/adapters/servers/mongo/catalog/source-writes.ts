import { type AnyBulkWriteOperation, type Collection, type Document, ObjectId } from 'mongodb'
import type { PutCounts, PutOptions, PutResult, StateChange, StateResult } from '../../../../ports/record-writer.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import { storedSchemas } from '../../../../records/schemas.js'
import { operatorError, unavailable } from '../../../../runtime/errors.js'
import { inState, isSameRecord, recordToWrite } from '../../../../write-outcome.js'
import { keyOf, type Row } from '../rows.js'
import { documentToStored, readDocuments } from './document.js'
import { namesOf, unchangedSince, withdrawingMembers, withoutOtherNames, writeUnordered } from './document-writes.js'

/** The maximum number of attempts to write records that other programs keep changing. */
const maxAttempts = 5

/** The documents of one type, and their rows. */
export interface Sources {
  collection: Collection
  rows: Collection<Row>
  type: RecordType
  settings: DocumentSettings
}

/** The documents of a type that the catalog writes. */
export interface WrittenSources extends Sources {
  /** Reads documents again, so that their rows are as they are now. @param sources their `_id`s */
  refresh(sources: unknown[]): Promise<unknown>
}

/** The planned write of one record. */
interface Plan {
  outcome: keyof PutCounts
  source: unknown
  /** Null: there is nothing to write, or the document has become another record's. */
  write: AnyBulkWriteOperation<Document> | null
}

/** The documents of the records with these ids, each as it is now. */
async function* documentsById(
  { collection, rows }: Sources,
  ids: string[],
): AsyncGenerator<{ id: string; document: Document; row: Row }> {
  const filter = { _id: { $in: ids }, source: { $exists: true } }
  const found = await rows.find(filter, { projection: { source: 1, indexedAt: 1 } }).toArray()
  if (found.length === 0) {
    return
  }
  const bySource = new Map(found.map((row) => [keyOf(row.source), row]))
  const sources: Document = { _id: { $in: found.map(({ source }) => source) } }
  for await (const document of readDocuments(collection, sources)) {
    const row = bySource.get(keyOf(document['_id']))
    if (row !== undefined) {
      yield { id: row._id, document, row }
    }
  }
}

/** The stored records of these ids; see the port. */
export async function storedOf(
  of: Sources,
  ids: string[],
  members: 'all' | 'fields',
): Promise<{ id: string; stored: unknown }[]> {
  const found: { id: string; stored: unknown }[] = []
  const fields = storedSchemas[of.type].shape
  for await (const { id, document, row } of documentsById(of, ids)) {
    const stored = documentToStored(of.type, document, of.settings)
    const kept = Object.entries(stored).filter(([name]) => members === 'all' || name in fields)
    const indexedAt = of.type === 'skills' ? { indexedAt: row.indexedAt ?? null } : {}
    found.push({ id, stored: { ...Object.fromEntries(kept), ...indexedAt } })
  }
  return found
}

/**
 * Adds or replaces whole records; see the port. A failed call may have written some of the records; repeating it is
 * harmless.
 *
 * @returns what was put, and the `_id`s of the documents that were written: of all, and of the new ones
 * @throws AppError `records_contended` (503) when other programs keep changing a document
 */
export async function putRecords(
  target: WrittenSources,
  records: StoredRecords[RecordType][],
  options: PutOptions = {},
): Promise<{ result: PutResult; written: unknown[]; added: unknown[] }> {
  const { collection, type } = target
  const { holdChanges = false } = options
  const wanted = new Map(records.map((record) => [recordId(type, record), record]))
  const held: string[] = []
  const done = await writeAll(target, async () => {
    const plans = new Map<string, Plan>()
    for await (const { id, document } of documentsById(target, [...wanted.keys()])) {
      const record = wanted.get(id)
      if (record !== undefined) {
        plans.set(id, planReplacement(target, document, id, record, options))
      }
    }
    const added = [...wanted.keys()].filter((id) => !plans.has(id))
    const taken = await identitiesTaken(collection, added)
    for (const id of added) {
      const document: Document = { _id: taken.has(id) ? new ObjectId() : id, ...withoutTime(wanted.get(id) ?? {}) }
      plans.set(id, { outcome: 'added', source: document['_id'], write: { insertOne: { document } } })
    }
    for (const [id, { outcome, write }] of holdChanges ? plans : []) {
      if (outcome === 'changed' && write !== null) {
        held.push(id)
        plans.delete(id)
        wanted.delete(id)
      }
    }
    return plans
  })
  const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
  for (const { outcome } of done.values()) {
    counts[outcome] += 1
  }
  const result = holdChanges ? { ...counts, held } : counts
  return { result, written: sourcesOf(done, ['added', 'changed']), added: sourcesOf(done, ['added']) }
}

/**
 * Sets the states of records; see the port. Writes only the state of a document, so that writes of other applications
 * are not lost.
 *
 * @param now the database's time
 * @returns what was set, and the `_id`s of the documents that were written
 * @throws AppError `records_contended` (503) when other programs keep changing a document; `state_not_set` when a
 *   document says otherwise in a member of an object
 */
export async function setStates(
  target: WrittenSources,
  changes: StateChange[],
  now: Date,
): Promise<{ result: StateResult; written: unknown[] }> {
  const wanted = new Map(changes.map((change) => [change.id, change]))
  const done = await writeAll(target, async () => {
    const plans = new Map<string, Plan>()
    for await (const { id, document } of documentsById(target, [...wanted.keys()])) {
      const change = wanted.get(id)
      if (change !== undefined) {
        plans.set(id, planState(target, document, change, now))
      }
    }
    return plans
  })
  const changed = [...done].flatMap(([id, { outcome }]) => (outcome === 'changed' ? [id] : []))
  const unknown = [...wanted.keys()].filter((id) => !done.has(id))
  return { result: { changed, unknown }, written: sourcesOf(done, ['changed']) }
}

/** The `_id`s of documents with which this was done. */
const sourcesOf = (done: ReadonlyMap<string, Plan>, outcomes: Plan['outcome'][]): unknown[] =>
  [...done.values()].flatMap(({ outcome, source }) => (outcomes.includes(outcome) ? [source] : []))

/**
 * Writes documents until all are as planned. Each is written only while it is as it was read; where another application
 * has written meanwhile, the documents are read again and all is planned once more. What was written before is unchanged
 * then.
 *
 * @returns what was done with each record
 */
async function writeAll(
  { collection, type, refresh }: WrittenSources,
  planAll: () => Promise<ReadonlyMap<string, Plan>>,
): Promise<ReadonlyMap<string, Plan>> {
  let done = new Map<string, Plan>()
  for (let attempts = 0; ; attempts += 1) {
    const plans = await planAll()
    const open = [...plans].filter(([, { outcome }]) => outcome !== 'unchanged')
    done = new Map([...plans].map(([id, plan]) => [id, plan.outcome === 'unchanged' ? (done.get(id) ?? plan) : plan]))
    if (attempts === maxAttempts && open.length > 0) {
      throw contended(open.map(([id]) => id))
    }
    const writes = open.flatMap(([id, { write }]) => (write === null ? [] : [{ id, write }]))
    const { written, refused } = await writeUnordered(
      collection,
      writes.map(({ write }) => write),
    )
    if (refused !== null) {
      throw operatorError(
        'document_refused',
        `MongoDB does not accept the document of ${writes[refused.place]?.id}: ${refused.reason}. ` +
          `Change the record, or the validator of the collection ${type}.`,
      )
    }
    if (written === open.length) {
      return done
    }
    await refresh(open.map(([, { source }]) => source))
  }
}

const contended = (ids: string[]) =>
  unavailable(
    'records_contended',
    `Other programs keep changing ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''} ` +
      'while they are written. What was written before stays; run it again.',
    5,
  )

/** The write of a record whose document exists. */
function planReplacement(
  { type, settings }: WrittenSources,
  before: Document,
  id: string,
  given: StoredRecords[RecordType],
  options: PutOptions,
): Plan {
  const stored = documentToStored(type, before, settings)
  const source = before['_id']
  if (!isRecord(type, id, stored)) {
    return { outcome: 'changed', source, write: null }
  }
  const record = recordToWrite(id, given, { state: stored['state'], members: () => stored }, options)
  if (isSameRecord(stored, record)) {
    return { outcome: 'unchanged', source, write: null }
  }
  const rest = withoutTime(options.keepMore?.has(id) ? withoutOtherNames(record, type, settings) : record)
  const replacement = record.state === given.state ? rest : hiddenAs(before, rest, type, settings)
  const write = { replaceOne: { filter: unchangedSince(before, type, settings), replacement } }
  return { outcome: 'changed', source, write }
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
  const { stateName } = namesOf(type, settings)
  const kept = withdrawingMembers(before, type, settings)
  const { state: _given, ...rest } = record
  const content = { ...rest, ...Object.fromEntries(kept.map((name) => [name, before[name]])) }
  const isHidden = documentToStored(type, { _id: before['_id'], ...content }, settings)['state'] === 'hidden'
  return isHidden ? content : { ...content, [stateName]: 'hidden' }
}

/** New documents have their id as `_id`, unless a document that has become another record has this `_id`. */
async function identitiesTaken(collection: Collection, ids: string[]): Promise<Set<unknown>> {
  const filter = { _id: { $in: ids } } as Document
  const found = ids.length === 0 ? [] : await collection.find(filter, { projection: { _id: 1 } }).toArray()
  return new Set(found.map(({ _id }) => _id as unknown))
}

/** The update that gives a document a state, and unsets the other fields of its lifecycle that contradict it. */
function planState({ type, settings }: WrittenSources, before: Document, change: StateChange, now: Date): Plan {
  const { stateName, removedAtName } = namesOf(type, settings)
  const stored = documentToStored(type, before, settings)
  const source = before['_id']
  if (!isRecord(type, change.id, stored)) {
    return { outcome: 'changed', source, write: null }
  }
  const next = inState(stored, change, now)
  if (next === null) {
    return { outcome: 'unchanged', source, write: null }
  }
  const $set: Document = {
    [stateName]: change.state,
    ...(change.state === 'removed' ? { [removedAtName]: next.removedAt } : {}),
  }
  const marked = { ...before, ...$set }
  const stateWithout = (unwanted: string[]) => {
    const kept = Object.entries(marked).filter(([name]) => !unwanted.includes(name))
    return documentToStored(type, Object.fromEntries(kept), settings)['state']
  }
  const others = withdrawingMembers(before, type, settings).filter((name) => !(name in $set))
  // Of the others, those that contradict each by itself.
  const contradicts = (name: string) => stateWithout(others.filter((other) => other !== name)) !== change.state
  const unset = stateWithout([]) === change.state ? [] : others.filter(contradicts)
  const state = stateWithout(unset)
  if (state !== change.state) {
    throw operatorError(
      'state_not_set',
      `${change.id} stays ${state}: its document says so in its text, in a member of an object, in its _id, or with a dot in its name. Change the document in MongoDB.`,
    )
  }
  const $unset = Object.fromEntries(unset.map((name) => [name, '']))
  const update = { $set, ...(unset.length === 0 ? {} : { $unset }) }
  return {
    outcome: 'changed',
    source,
    write: { updateOne: { filter: unchangedSince(before, type, settings), update } },
  }
}

/** Whether a document is still the record of this id: it may have been renamed since. */
const isRecord = (type: RecordType, id: string, stored: Record<string, unknown>): boolean =>
  recordId(type, stored as unknown as StoredRecords[RecordType]) === id
