import { type Db, type IndexDescription, MongoError, MongoServerError } from 'mongodb'
import { operatorError } from '../../errors.js'
import { type RecordType, recordTypes } from '../../records/records.js'
import { toAppError } from './mongo-connection.js'

const index = (name: string, key: Record<string, 1 | -1>, options: Partial<IndexDescription> = {}) => ({
  name: `catalog_${name}`,
  key,
  ...options,
})

const sortIndex = (name: string, direction: 1 | -1) =>
  index(`by_${name}`, { '_catalog.state': 1, [`_catalog.skill.${name}`]: direction, '_catalog.id': 1 })

const filterIndex = (name: string) => index(`of_${name}`, { '_catalog.state': 1, [`_catalog.skill.${name}`]: 1 })

/** The indexes that the catalog lives on; `changedField` is the one that others write, see `DocumentSettings`. */
function indexesOf(type: RecordType, changedField: string): IndexDescription[] {
  const common = [
    // Sparse: documents that have not been taken in have no id yet.
    index('id', { '_catalog.id': 1 }, { unique: true, sparse: true }),
    index('changes', { '_catalog.changedAt': 1, '_catalog.id': 1 }),
    index('states', { '_catalog.state': 1, '_catalog.id': 1 }),
    index('written', { [changedField]: 1 }),
  ]
  if (type !== 'skills') {
    return common
  }
  return [
    ...common,
    sortIndex('updated', -1),
    sortIndex('stars', -1),
    sortIndex('created', -1),
    sortIndex('name', 1),
    ...['owner', 'repo', 'topics', 'license', 'language'].map(filterIndex),
    index('former_ids', { '_catalog.formerIds': 1 }, { sparse: true }),
  ]
}

/** The indexes of the change log, see `MongoChangeLog`. */
const changeIndexes = [
  index('sequence', { sequence: 1 }, { unique: true }),
  index('removals', { removedAt: 1 }, { sparse: true }),
]

/**
 * Sees to it that every index is there: without one of them a page of the list would read the whole catalog.
 *
 * @throws AppError `catalog_indexes_missing` when they are not there and must not be created
 */
export async function ensureIndexes(db: Db, changedField: string): Promise<void> {
  const wanted: [collection: string, indexes: IndexDescription[]][] = [
    ...recordTypes.map((type): [string, IndexDescription[]] => [type, indexesOf(type, changedField)]),
    ['changes', changeIndexes],
  ]
  for (const [collection, indexes] of wanted) {
    try {
      await db.collection(collection).createIndexes(indexes)
    } catch (error) {
      await checkIndexes(db, collection, indexes, error)
    }
  }
}

/** Whoever may not create indexes may still find them there, created by someone who may. */
async function checkIndexes(db: Db, collection: string, wanted: IndexDescription[], cause: unknown): Promise<void> {
  // A server that does not answer says nothing about its indexes.
  if (!(cause instanceof MongoServerError)) {
    throw toAppError(cause)
  }
  const missing = await missingOf(db, collection, wanted)
  if (missing.length > 0) {
    throw operatorError(
      'catalog_indexes_missing',
      `MongoDB did not let us create the indexes ${missing.join(', ')} of ${db.databaseName}.${collection} (${cause.codeName ?? cause.code}). ` +
        'Give the user of MONGODB_URL the role readWrite on this database, or drop what is in their way, and start again.',
      cause,
    )
  }
}

async function missingOf(db: Db, collection: string, wanted: IndexDescription[]): Promise<string[]> {
  const names = (indexes: IndexDescription[]) => indexes.map(({ name }) => String(name))
  try {
    const present = new Set(
      (await db.collection(collection).indexes()).map(({ key, unique }) => JSON.stringify([key, unique === true])),
    )
    return names(wanted.filter(({ key, unique }) => !present.has(JSON.stringify([key, unique === true]))))
  } catch (error) {
    if (error instanceof MongoError) {
      return names(wanted)
    }
    throw error
  }
}
