import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import type { DocumentSettings } from '../../document-settings.js'
import type { PutCounts } from '../../ports/catalog-store.js'
import { type RecordType, recordId, type StoredRecords } from '../../records/records.js'
import { canonicalJson } from '../../text/canonical-json.js'
import { isDuplicateKey } from './mongo-connection.js'
import { documentToStored, ownMember } from './mongo-document.js'
import { deriveOwnMember } from './mongo-own-member.js'

const idOf = `${ownMember}.id`

/** How often a write begins anew when another writer has added one of the same records meanwhile. */
const attempts = 5

/**
 * Adds or replaces records, each whole. A write that is cut off leaves some of them written; to write them all again
 * is harmless, and finds those there already.
 */
export async function putRecords<T extends RecordType>(
  collection: Collection,
  type: T,
  records: StoredRecords[T][],
  settings: DocumentSettings,
): Promise<PutCounts> {
  const latest = new Map(records.map((record) => [recordId(type, record), record]))
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await putLatest(collection, type, latest, settings)
    } catch (error) {
      if (attempt === attempts || !isDuplicateKey(error)) {
        throw error
      }
    }
  }
}

async function putLatest(
  collection: Collection,
  type: RecordType,
  latest: Map<string, StoredRecords[RecordType]>,
  settings: DocumentSettings,
): Promise<PutCounts> {
  const present = new Map<string, Document>()
  for await (const document of collection.find({ [idOf]: { $in: [...latest.keys()] } })) {
    present.set(document[ownMember].id, document)
  }
  const counts: PutCounts = { added: 0, changed: 0, unchanged: 0 }
  const [added, replaced]: [Document[], Document[]] = [[], []]
  for (const [id, record] of latest) {
    const { indexedAt: _ours, ...rest } = record as Record<string, unknown>
    const before = present.get(id)
    if (before === undefined) {
      added.push({ _id: id, ...rest })
      counts.added += 1
    } else if (comparable(documentToStored(type, before, settings.fields)) === comparable(record)) {
      counts.unchanged += 1
    } else {
      replaced.push({ _id: before['_id'], ...rest, [ownMember]: before[ownMember] })
      counts.changed += 1
    }
  }
  await writeAll(collection, type, await withFreeIdentities(collection, added), replaced, settings)
  return counts
}

// `indexedAt` is the store's, not the record's.
const comparable = (record: object): string => canonicalJson({ ...record, indexedAt: null })

/** New documents have their id as `_id`, unless it belongs to one that says by now that it is something else. */
async function withFreeIdentities(collection: Collection, added: Document[]): Promise<Document[]> {
  if (added.length === 0) {
    return []
  }
  const wanted = { _id: { $in: added.map((document) => document['_id']) } }
  const taken = new Set<unknown>()
  for await (const document of collection.find(wanted, { projection: { _id: 1 } })) {
    taken.add(document['_id'])
  }
  return added.map((document) => (taken.has(document['_id']) ? { ...document, _id: new ObjectId() } : document))
}

/** Turns records into tombstones; see the port. */
export async function removeRecords(
  collection: Collection,
  type: RecordType,
  ids: string[],
  now: Date,
  settings: DocumentSettings,
): Promise<number> {
  const there: Filter<Document> = { [idOf]: { $in: [...new Set(ids)] }, [`${ownMember}.state`]: { $ne: 'removed' } }
  const tombstones = (await collection.find(there).toArray()).map((document) => ({
    ...document,
    state: 'removed',
    removedAt: now.toISOString(),
  }))
  await writeAll(collection, type, [], tombstones, settings)
  return tombstones.length
}

/**
 * Writes documents whole, then has the database note the time by its own clock. Between the two they count as not
 * taken in yet, so that a crash there loses nothing.
 */
async function writeAll(
  collection: Collection,
  type: RecordType,
  added: Document[],
  replaced: Document[],
  settings: DocumentSettings,
): Promise<void> {
  const withOwn = (document: Document): Document => ({
    ...document,
    [ownMember]: deriveOwnMember(type, document, settings),
  })
  const writes: AnyBulkWriteOperation<Document>[] = [
    ...added.map((document) => ({ insertOne: { document: withOwn(document) } })),
    ...replaced.map((document) => {
      const { _id, ...replacement } = withOwn(document)
      return { replaceOne: { filter: { _id }, replacement } }
    }),
  ]
  if (writes.length === 0) {
    return
  }
  await collection.bulkWrite(writes, { ordered: false })
  await collection.updateMany(
    { _id: { $in: [...added, ...replaced].map((document) => document['_id']) } },
    { $currentDate: { [`${ownMember}.changedAt`]: true } },
  )
}
