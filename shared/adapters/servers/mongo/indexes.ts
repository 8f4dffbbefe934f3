import { type Collection, type Db, type IndexDescription, type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import { filterRows, sortRows } from '../../../ports/filter-table.js'
import { recordTypes } from '../../../records/records.js'
import type { Skill } from '../../../records/skill.js'
import { operatorError } from '../../../runtime/errors.js'
import { toAppError } from './connection.js'
import { keyMember, keyName } from './rows.js'

const index = (name: string, key: Record<string, 1 | -1>, options: Partial<IndexDescription> = {}) => ({
  name: `catalog_${name}`,
  key,
  ...options,
})

const filterIndex = (field: keyof Skill | 'repo') => index(`of_${keyName(field)}`, { state: 1, [keyMember(field)]: 1 })

const orderIndexes = [
  ...sortRows().map(({ field, order }) =>
    index(`by_${keyName(field)}`, { state: 1, [keyMember(field)]: order === 'asc' ? 1 : -1, _id: 1 }),
  ),
  // Few skills have a trend; the others are listed by stars, in the index of these.
  index('by_trend', { state: 1, trend: -1, _id: 1 }, { partialFilterExpression: { trend: { $gt: 0 } } }),
]

/**
 * The indexes of filters, but of those by a field that is sorted by, which use the index of the order.
 *
 * None combines filters, or a filter with an order: each index costs time at every write, and memory. MongoDB tries the
 * candidates and chooses the one that fills the page first: the order's index where many skills match the filters, and
 * the rarest filter's index, of which it sorts no more than a page, where few match. With one filter, either reads a
 * few thousand documents at most, in a catalog of millions. Only filters that many skills match each, and few together,
 * take longer: such a list ends by its time limit.
 *
 * @see https://www.mongodb.com/docs/manual/tutorial/equality-sort-range-guideline/
 */
const filterIndexes = filterRows()
  .filter(({ field }) => !sortRows().some((sort) => sort.field === field))
  .map(({ field, kind }) =>
    kind === 'flag'
      ? // Most skills have one value, and are listed by the index of the order. Their repositories are counted by their ids.
        index(`of_${keyName(field)}`, { state: 1, [keyMember(field)]: 1, _id: 1 })
      : filterIndex(field),
  )

const rowIndexes = [
  index('states', { state: 1, _id: 1 }),
  // Finds the rows of documents that were written, or are gone.
  index('source', { source: 1 }, { sparse: true }),
]

/** The indexes of the rows of skills, which are the change log as well. */
const skillIndexes = [
  ...rowIndexes,
  ...orderIndexes,
  ...filterIndexes,
  // By repository name, for near matches.
  filterIndex('repo'),
  index('former_ids', { formerIds: 1 }, { sparse: true }),
  // Not unique, which it is by itself: a sharded collection has unique indexes of its shard key only.
  index('sequence', { sequence: 1 }, { sparse: true }),
  index('removals', { unlistedAt: 1 }, { sparse: true }),
]

/**
 * Creates the indexes that are missing, and replaces own ones of an earlier configuration: without one of them a page of
 * the list would read the whole catalog. An index of another application is never changed.
 *
 * @throws AppError `catalog_indexes_missing` when they are missing and cannot be created
 */
export async function ensureIndexes(db: Db, changedField: string): Promise<void> {
  const wanted: [collection: string, indexes: IndexDescription[]][] = [
    // The documents of other applications get one index, for MongoDB without change streams: their time of change.
    ...recordTypes.map((type): [string, IndexDescription[]] => [type, [index('written', { [changedField]: 1 })]]),
    ['catalog_skills', skillIndexes],
    ['catalog_prompts', rowIndexes],
    ['catalog_organizations', rowIndexes],
    ['dead_letters', [index('document', { document: 1 }, { sparse: true })]],
    ['star_histories', [index('trending', { trending: 1, _id: 1 }, { partialFilterExpression: { trending: true } })]],
    ['skill_texts', [index('text', { text: 1 })]],
  ]
  for (const [name, indexes] of wanted) {
    const collection = db.collection(name)
    const present = await presentIn(collection)
    const missing = indexes.filter((each) => !present.some((other) => serves(other, each)))
    const refused: IndexDescription[] = []
    let cause: unknown = null
    for (const each of missing) {
      try {
        await createIndex(collection, each, present)
      } catch (error) {
        // Other errors, as of an unavailable server, say nothing about its indexes.
        if (!(error instanceof MongoServerError)) {
          throw toAppError(error)
        }
        refused.push(each)
        cause = error
      }
    }
    if (cause instanceof MongoServerError) {
      throw operatorError(
        'catalog_indexes_missing',
        `MongoDB refused to create the indexes ${refused.map((each) => each.name).join(', ')} of ` +
          `${db.databaseName}.${name} (${cause.codeName ?? cause.code}). ` +
          'Give the user of MONGODB_URL the role readWrite on this database, or drop the indexes of the same names or keys, and start again.',
        cause,
      )
    }
  }
}

/** The indexes of a collection; none where it does not exist, or where they may not be listed. */
async function presentIn(collection: Collection): Promise<IndexDescriptionInfo[]> {
  try {
    return await collection.indexes()
  } catch (error) {
    if (error instanceof MongoServerError) {
      return []
    }
    throw toAppError(error)
  }
}

/** Creates an index in place of an own one of its name, and next to another application's of its key. */
async function createIndex(
  collection: Collection,
  wanted: IndexDescription,
  present: IndexDescriptionInfo[],
): Promise<void> {
  if (present.some(({ name }) => name === wanted.name)) {
    await collection.dropIndex(String(wanted.name))
  }
  const isInTheWay = present.some(({ name, key }) => name !== wanted.name && isSameKey(key, wanted.key))
  await collection.createIndexes([isInTheWay ? { ...wanted, key: longer(wanted) } : wanted])
}

/** A key under which an index finds the same, next to another application's index of the wanted key. */
const longer = ({ key }: IndexDescription): IndexDescription['key'] => ({ ...key, _id: 1 })

const isSameKey = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether an index finds and holds what the wanted one does, also one that an administrator has created. */
function serves(present: IndexDescriptionInfo, wanted: IndexDescription): boolean {
  const { key, unique = false, sparse = false, partialFilterExpression: filter } = present
  const isSame =
    (isSameKey(key, wanted.key) || isSameKey(key, longer(wanted))) &&
    !unique &&
    sparse === (wanted.sparse ?? false) &&
    JSON.stringify(filter) === JSON.stringify(wanted.partialFilterExpression)
  // One that is hidden from the planner, or compares text otherwise, finds nothing.
  return isSame && present['hidden'] !== true && present.collation === undefined
}
