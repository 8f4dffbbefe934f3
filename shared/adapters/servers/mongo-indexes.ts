import { type Db, type IndexDescription, MongoError, MongoServerError } from 'mongodb'
import { operatorError } from '../../errors.js'
import type { SkillFilters, SkillSort } from '../../ports/catalog-store.js'
import { type RecordType, recordTypes } from '../../records/records.js'
import { toAppError } from './mongo-connection.js'

const index = (name: string, key: Record<string, 1 | -1>, options: Partial<IndexDescription> = {}) => ({
  name: `catalog_${name}`,
  key,
  ...options,
})

const sortIndex = (name: string, direction: 1 | -1) =>
  index(`by_${name}`, { '_catalog.state': 1, [`_catalog.skill.${name}`]: direction, '_catalog.id': 1 })

const filterIndex = (name: string, options: Partial<IndexDescription> = {}) =>
  index(`of_${name}`, { '_catalog.state': 1, [`_catalog.skill.${name}`]: 1 }, options)

/** The index by which a list is read in each order. */
const orderIndexes: Record<SkillSort, IndexDescription> = {
  updated: sortIndex('updated', -1),
  stars: sortIndex('stars', -1),
  created: sortIndex('created', -1),
  name: sortIndex('name', 1),
}

/**
 * The index by which the skills are found that pass each filter.
 *
 * None combines filters, or a filter with an order: each index is written with every skill and wants memory. MongoDB
 * tries the candidates and takes the one that fills the page first: it walks the order's index where many skills pass
 * the filters, and reads the skills of the rarest filter, of which it sorts no more than a page, where few do. With one
 * filter neither reads more than some thousand documents, of millions. Only filters that many skills pass each, and few
 * together, take longer: such a list ends by its time limit.
 *
 * @see https://www.mongodb.com/docs/manual/tutorial/equality-sort-range-guideline/
 */
const filterIndexes: Record<keyof SkillFilters, IndexDescription> = {
  owner: filterIndex('owner'),
  topics: filterIndex('topics'),
  license: filterIndex('license'),
  language: filterIndex('language'),
  // Those that are not archived are most of the catalog, and found in any order.
  archived: filterIndex('archived', { partialFilterExpression: { '_catalog.skill.archived': true } }),
  minStars: orderIndexes.stars,
  updatedSince: orderIndexes.updated,
}

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
    ...new Set([...Object.values(orderIndexes), ...Object.values(filterIndexes)]),
    // By repository name, for near matches.
    filterIndex('repo'),
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
