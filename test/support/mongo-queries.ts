import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import type { Condition, SentQuery } from './mongo-sent-queries.js'

/** What a query is sent for. `request`: of a client; `tick`: a job asks whether there is anything to do. */
type Purpose = 'request' | 'tick' | 'job'

/** A query that the product sends to MongoDB, and how much it reads. */
export interface KnownQuery {
  collections: string[]
  commands: SentQuery['command'][]
  /** What its index serves, by path. */
  conditions: Record<string, Condition>
  /** Further paths of the filter, which are compared after a document was found by the index; `any` of them. */
  rest: string[] | 'any'
  /** Backwards as well, where the index serves it. */
  sort: Record<string, number>
  /** By its name; `none`: no index is of use. */
  index: string
  /** How much it reads, in the worst case. */
  reads: string
  /** Whether it sorts in memory what it reads. */
  isSortedInMemory: boolean
  /** Whether it must find at most so many documents as it says. */
  isLimited: boolean
  purposes: Purpose[]
}

type Options = Partial<Pick<KnownQuery, 'rest' | 'sort' | 'isLimited' | 'isSortedInMemory'>>

const query = (
  collections: string | readonly string[],
  commands: SentQuery['command'] | SentQuery['command'][],
  conditions: KnownQuery['conditions'],
  index: string,
  reads: string,
  purposes: Purpose[],
  { rest = [], sort = {}, isLimited = false, isSortedInMemory = false }: Options = {},
): KnownQuery => ({
  collections: [collections].flat(),
  commands: [commands].flat(),
  conditions,
  index,
  reads,
  purposes,
  rest,
  sort,
  isLimited,
  isSortedInMemory,
})

const [state, id] = ['_catalog.state', '_catalog.id']
const key = (name: string): string => `_catalog.skill.${name}`
/** The index that GridFS makes. */
const chunksIndex = 'files_id_1_n_1'

const filterPaths = ['owner', 'topics', 'license', 'language', 'archived', 'stars', 'updated'].map(key)

/** The pages of the list in one order: they begin at a value, after an id with this value, or have no value. */
const pagesBy = (name: string): KnownQuery[] => {
  const [path, index] = [key(name), `catalog_by_${name}`]
  const page = (value: Condition, idCondition: Record<string, Condition>, sort: Record<string, number>) =>
    query('skills', 'find', { [state]: '=', [path]: value, ...idCondition }, index, 'a page', ['request', 'job'], {
      rest: filterPaths,
      sort,
      isLimited: true,
    })
  const direction = name === 'name' ? 1 : -1
  return [
    page('<', {}, { [path]: direction, [id]: 1 }),
    page('0', {}, { [id]: 1 }),
    // Every skill has a name.
    ...(name === 'name' ? [] : [page('0', { [id]: '<' }, { [id]: 1 })]),
    page('=', { [id]: '<' }, { [id]: 1 }),
    ...[{ [path]: '<' } as const, { [path]: '=', [id]: '<' } as const].map((values) =>
      query('skills', 'count', { [state]: '=', ...values }, index, 'as many as the page skips', ['request'], {
        rest: filterPaths,
        isLimited: true,
      }),
    ),
  ]
}

const trend = '_catalog.trend'

/** The same by trend: its index leaves out the skills without one, which are listed by id. */
const pagesByTrend: KnownQuery[] = [
  ...[{ [trend]: '<' } as const, { [trend]: '=', [id]: '<' } as const].map((values) =>
    query('skills', 'find', { [state]: '=', ...values }, 'catalog_by_trend', 'a page', ['request'], {
      rest: filterPaths,
      sort: trend in values && id in values ? { [id]: 1 } : { [trend]: -1, [id]: 1 },
      isLimited: true,
    }),
  ),
  ...[{}, { [id]: '<' } as const].map((values) =>
    query('skills', 'find', { [state]: '=', ...values }, 'catalog_states', 'a page', ['request', 'job'], {
      rest: [trend, ...filterPaths],
      sort: { [id]: 1 },
      isLimited: true,
    }),
  ),
  ...[{ [trend]: '<' } as const, { [trend]: '=', [id]: '<' } as const].map((values) =>
    query(
      'skills',
      'count',
      { [state]: '=', ...values },
      'catalog_by_trend',
      'as many as the page skips',
      ['request'],
      {
        isLimited: true,
      },
    ),
  ),
]

/** At most 10,001 documents are counted for the total of a list. */
const totalBy = (name: string, condition: Condition, index = `catalog_of_${name}`): KnownQuery =>
  query('skills', 'count', { [state]: '=', [key(name)]: condition }, index, 'until 10,001 are found', ['request'], {
    rest: filterPaths,
    isLimited: true,
  })

/** A document that is found by its `_id`. */
const byIdentity = (
  collections: string | readonly string[],
  commands: SentQuery['command'][],
  purposes: Purpose[],
): KnownQuery =>
  query(collections, commands, { _id: '=' }, '_id_', 'the documents of these ids', purposes, { rest: 'any' })

const lists: KnownQuery[] = [
  ...['updated', 'stars', 'created', 'name'].flatMap(pagesBy),
  ...pagesByTrend,
  ...['owner', 'topics', 'license', 'language', 'archived'].map((name) => totalBy(name, '=')),
  totalBy('stars', '<', 'catalog_by_stars'),
  totalBy('updated', '<', 'catalog_by_updated'),
  query('skills', 'count', {}, 'none', 'no document: MongoDB notes the size of a collection', ['request']),
  query('skills', 'count', { [state]: '=' }, 'catalog_states', 'until 10,001 are found', ['request'], {
    isLimited: true,
  }),
]

const singleSkills: KnownQuery[] = [
  query(recordTypes, 'find', { [id]: '=' }, 'catalog_id', 'the documents of these ids', ['request', 'job'], {
    rest: [state],
  }),
  query(
    'skills',
    'find',
    { '_catalog.formerIds': '=' },
    'catalog_former_ids',
    'skills that had these ids',
    ['request', 'job'],
    {
      rest: [state],
      sort: { [id]: -1 },
      isSortedInMemory: true,
    },
  ),
  query('skills', 'find', { [state]: '=', [key('repo')]: '=' }, 'catalog_of_repo', '300 skills', ['request'], {
    isLimited: true,
  }),
]

const pending = '_catalog.pending'
const written = { [defaultDocumentSettings.changedField]: '<' } as const

const writesAndIngest: KnownQuery[] = [
  query(
    'skills',
    'update',
    { [state]: '=' },
    'catalog_states',
    'every published skill, before the first change',
    ['job'],
    {
      rest: [pending],
    },
  ),
  byIdentity(recordTypes, ['find', 'update'], ['job']),
  query(recordTypes, 'find', { [state]: '0' }, 'catalog_states', 'documents without metadata', ['tick', 'job']),
  query(recordTypes, 'find', written, 'catalog_written', 'documents of the last minutes', ['tick', 'job'], {
    rest: ['$expr'],
  }),
  query(recordTypes, 'find', { [pending]: '<' }, 'catalog_pending', 'skills to be logged', ['tick', 'job']),
  query('skills', 'find', { [pending]: '<' }, 'catalog_pending', '1,000 skills to be logged', ['job'], {
    sort: { [pending]: 1 },
    isLimited: true,
  }),
  query(recordTypes, 'find', { [id]: '<' }, 'catalog_id', 'one step through all documents', ['tick', 'job'], {
    rest: [state],
    sort: { [id]: 1 },
    isLimited: true,
  }),
  query(recordTypes, 'find', {}, 'none', 'the whole collection, once: no earlier look at it is known', ['job']),
]

const changeLog: KnownQuery[] = [
  byIdentity('change_log', ['find', 'update'], ['request', 'tick', 'job']),
  byIdentity('changes', ['find', 'update'], ['job']),
  query('changes', 'find', { sequence: '<' }, 'catalog_sequence', 'a page', ['request', 'job'], {
    sort: { sequence: 1 },
    isLimited: true,
  }),
  query('changes', 'find', { _id: '<' }, '_id_', 'a page', ['job'], {
    rest: ['contentHash'],
    sort: { _id: 1 },
    isLimited: true,
  }),
  query('changes', 'find', { removedAt: '<' }, 'catalog_removals', 'old removals', ['job'], {
    rest: ['sequence'],
    sort: { sequence: -1 },
    isLimited: true,
    isSortedInMemory: true,
  }),
  query('changes', 'delete', { removedAt: '<' }, 'catalog_removals', 'old removals', ['job'], { rest: ['sequence'] }),
  query('changes', 'count', { _id: '<' }, '_id_', 'the whole log: statistics compare its size', ['job']),
  query('changes', 'count', { removedAt: '<' }, 'catalog_removals', 'all removals: statistics', ['job']),
]

const statisticsAndExports: KnownQuery[] = [
  query('skills', 'aggregate', { [state]: '=' }, 'catalog_states', 'the whole collection: sums and groups', ['job'], {
    rest: [key('owner')],
  }),
  query(['skills', 'prompts'], 'count', { [state]: '=' }, 'catalog_states', 'the whole index: totals', ['job']),
  query('organizations', 'find', { [state]: '=', [id]: '=' }, 'catalog_states', 'those of these owners', ['job']),
  query('prompts', 'find', { [state]: '=' }, 'catalog_states', 'an export', ['job'], {
    sort: { [id]: 1 },
    isLimited: true,
  }),
  query('skills', 'find', { [state]: '=', [key('updated')]: '<' }, 'catalog_by_updated', 'one document', ['job'], {
    sort: { [key('updated')]: 1 },
    isLimited: true,
  }),
  byIdentity('star_histories', ['find', 'update'], ['request', 'job']),
  query('star_histories', 'find', { trending: '=', _id: '<' }, 'catalog_trending', 'a page', ['job'], {
    sort: { _id: 1 },
    isLimited: true,
  }),
  query('skills', 'update', { [id]: '=' }, 'catalog_id', 'the document of this id', ['job'], { rest: [state] }),
  byIdentity('exports.manifests', ['find', 'update'], ['request', 'job']),
  byIdentity('exports.files', ['find', 'delete'], ['request', 'job']),
  query('exports.files', 'find', {}, 'none', 'one document: GridFS looks whether there is any', ['job'], {
    isLimited: true,
  }),
  query('exports.files', 'find', { _id: '<' }, '_id_', 'files that no snapshot names', ['job']),
  query('exports.chunks', 'find', { files_id: '=', n: '=' }, chunksIndex, 'one piece of a file', ['request']),
  query('exports.chunks', 'delete', { files_id: '=' }, chunksIndex, 'the pieces of a file', ['job']),
  query('exports.chunks', 'delete', { files_id: '<' }, chunksIndex, 'pieces that no snapshot names', ['job']),
]

const stateOfJobs: KnownQuery[] = [
  byIdentity('state', ['find', 'update'], ['request', 'tick', 'job']),
  byIdentity('state', ['delete'], ['job']),
  byIdentity('locks', ['findAndModify', 'update'], ['job']),
  byIdentity('dead_letters', ['update', 'delete'], ['job']),
  query('dead_letters', 'find', { _id: '<' }, '_id_', 'a page', ['job'], { sort: { _id: 1 }, isLimited: true }),
]

/** Every query that the product sends to MongoDB, and the index that serves it. */
export const knownQueries: KnownQuery[] = [
  ...lists,
  ...singleSkills,
  ...writesAndIngest,
  ...changeLog,
  ...statisticsAndExports,
  ...stateOfJobs,
]

/** The rows that describe a query. */
export const rowsOf = (sent: SentQuery): KnownQuery[] =>
  knownQueries.filter((known) => {
    const { collections, commands, conditions, rest, sort, isLimited } = known
    const others = Object.keys(sent.conditions).filter((path) => conditions[path] !== sent.conditions[path])
    return (
      collections.includes(sent.collection) &&
      commands.includes(sent.command) &&
      Object.entries(conditions).every(([path, condition]) => sent.conditions[path] === condition) &&
      others.every((path) => rest === 'any' || rest.includes(path)) &&
      (!isLimited || sent.isLimited) &&
      isSameSort(sort, sent.sort)
    )
  })

/** Either in the same direction everywhere, or in the opposite one. */
function isSameSort(one: Record<string, number>, other: Record<string, number>): boolean {
  const [left, right] = [Object.entries(one), Object.entries(other)]
  return (
    left.length === right.length &&
    left.every(([path], place) => right[place]?.[0] === path) &&
    new Set(left.map(([path, direction]) => direction * Number(other[path]))).size <= 1
  )
}

/** An index as MongoDB lists it. */
export interface CreatedIndex {
  name: string
  key: Record<string, number>
}

/**
 * Whether an index serves a query: equal values of its first fields, then the fields of the sort, or a range.
 *
 * @see https://www.mongodb.com/docs/manual/tutorial/equality-sort-range-guideline/
 */
export function isServed({ conditions, sort, isSortedInMemory }: KnownQuery, { key: indexKey }: CreatedIndex): boolean {
  const fields = Object.entries(indexKey)
  const first = fields.findIndex(([path]) => !isEqual(conditions[path]))
  const equal = first === -1 ? fields.length : first
  const left = fields.slice(equal)
  const used = new Set(fields.slice(0, equal).map(([path]) => path))
  if (left[0] !== undefined && conditions[left[0][0]] === '<') {
    used.add(left[0][0])
  }
  const order = Object.entries(sort).filter(([path]) => !isEqual(conditions[path]))
  const directions = order.map(([path, direction], place) =>
    left[place]?.[0] === path ? direction * left[place][1] : Number.NaN,
  )
  const isSorted = new Set(directions).size <= 1 && !directions.some(Number.isNaN)
  return used.size > 0 && Object.keys(conditions).every((path) => used.has(path)) && (isSorted || isSortedInMemory)
}

const isEqual = (condition: Condition | undefined): boolean => condition === '=' || condition === '0'
