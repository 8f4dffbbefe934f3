import type { Collection, Document } from 'mongodb'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { byIdentity, id, type KnownQuery, key, query, state } from './known-query.js'
import { lists } from './mongo-list-queries.js'
import type { Condition, SentQuery } from './mongo-sent-queries.js'

/** The index that GridFS makes. */
const chunksIndex = 'files_id_1_n_1'

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
  query('skills', 'find', { '_catalog.formerIds': '<' }, 'catalog_former_ids', '300 skills', ['request'], {
    rest: [state],
    isLimited: true,
  }),
  query('skills', 'find', { [state]: '=', [id]: '<' }, 'catalog_states', 'a page', ['request', 'job'], {
    sort: { [id]: 1 },
    isLimited: true,
  }),
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
      rest: [pending, '_catalog'],
    },
  ),
  query('skills', 'update', { [id]: '=' }, 'catalog_id', 'the skills whose texts have changed', ['job'], {
    rest: [state, '_catalog'],
  }),
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
  query(
    'skills',
    'find',
    { '_catalog.formerIds': '=' },
    'catalog_former_ids',
    'renamed skills of up to 1,000 earlier ids',
    ['job'],
    { rest: [pending] },
  ),
  query(recordTypes, 'find', { [id]: '<' }, 'catalog_id', 'one step through all documents', ['tick', 'job'], {
    rest: [state],
    sort: { [id]: 1 },
    isLimited: true,
  }),
  query(recordTypes, 'find', {}, 'none', 'the whole collection, once: no earlier look at it is known', ['job']),
  ...[id, state].map((path) =>
    query(
      'skills',
      'find',
      {},
      'none',
      'the whole collection, each night: metadata that others have written',
      ['job'],
      {
        rest: [path],
      },
    ),
  ),
]

const changeLog: KnownQuery[] = [
  byIdentity('change_log', ['find', 'update'], ['request', 'tick', 'job']),
  byIdentity('changes', ['find'], ['request', 'job']),
  byIdentity('changes', ['update'], ['job']),
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
  query('organizations', 'find', { [state]: '=' }, 'catalog_states', '1,000 that are rejected', ['job'], {
    sort: { [id]: 1 },
    isLimited: true,
  }),
  query('prompts', 'find', { [state]: '=' }, 'catalog_states', 'an export, and 1,000 that are rejected', ['job'], {
    sort: { [id]: 1 },
    isLimited: true,
  }),
  query('skills', 'find', { [state]: '=', [key('updated')]: '<' }, 'catalog_by_updated', 'one document', ['job'], {
    sort: { [key('updated')]: 1 },
    isLimited: true,
  }),
  byIdentity('star_histories', ['find', 'update'], ['request', 'job']),
  byIdentity('skill_texts', ['find'], ['request', 'job']),
  byIdentity('skill_texts', ['update', 'delete'], ['job']),
  query('skill_texts', 'distinct', { text: '=' }, 'catalog_text', 'the skills with this text', ['job']),
  byIdentity('texts', ['find'], ['request', 'job']),
  byIdentity('texts', ['update', 'delete'], ['job']),
  query('star_histories', 'find', { trending: '=', _id: '<' }, 'catalog_trending', 'a page', ['job'], {
    sort: { _id: 1 },
    isLimited: true,
  }),
  query('skills', 'update', { [id]: '=' }, 'catalog_id', 'the document of this id', ['job'], { rest: [state] }),
  ...filesOf('exports'),
  ...filesOf('dataset'),
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
  /** Only documents that match it are in the index. */
  partialFilterExpression?: Document
}

/** The indexes of a collection. */
export async function createdIndexes(collection: Collection): Promise<CreatedIndex[]> {
  const listed = await collection.indexes()
  return listed.map(({ key, name, partialFilterExpression }) => ({
    name: String(name),
    key: key as CreatedIndex['key'],
    ...(partialFilterExpression && { partialFilterExpression }),
  }))
}

/**
 * Whether an index has every document that a query finds: each condition of its filter must follow from what the query
 * asks, or MongoDB cannot use the index.
 *
 * @see https://www.mongodb.com/docs/manual/core/index-partial/#query-coverage
 */
export const hasAllOf = ({ asked }: SentQuery, { partialFilterExpression = {} }: CreatedIndex): boolean =>
  Object.entries(partialFilterExpression).every(([path, wanted]) =>
    (asked[path] ?? []).some((given) => implies(given, wanted)),
  )

/** Whether a condition on a path implies that of a partial index: a value, or a least value. */
function implies(given: unknown, wanted: unknown): boolean {
  const [from, least] = [rangeOf(given), rangeOf(wanted)]
  if (least === undefined) {
    return given === wanted
  }
  return from !== undefined && (from.value > least.value || (from.value === least.value && (least.isIn || !from.isIn)))
}

/** Where a range or a number begins, and whether that is in it. */
function rangeOf(condition: unknown): { value: number; isIn: boolean } | undefined {
  if (typeof condition === 'number') {
    return { value: condition, isIn: true }
  }
  const { $gt, $gte } = Object(condition)
  return typeof $gt === 'number'
    ? { value: $gt, isIn: false }
    : typeof $gte === 'number'
      ? { value: $gte, isIn: true }
      : undefined
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

/** The queries on the files of a bucket of GridFS. */
function filesOf(bucket: string): KnownQuery[] {
  const [files, chunks] = [`${bucket}.files`, `${bucket}.chunks`]
  return [
    byIdentity(`${bucket}.manifests`, ['find', 'update'], ['request', 'job']),
    byIdentity(files, ['find', 'delete'], ['request', 'job']),
    query(files, 'find', {}, 'none', 'one document: GridFS looks whether there is any', ['job'], { isLimited: true }),
    query(files, 'find', { _id: '<' }, '_id_', 'files that no snapshot names', ['job']),
    query(chunks, 'find', { files_id: '=', n: '=' }, chunksIndex, 'one piece of a file', ['request']),
    query(chunks, 'delete', { files_id: '=' }, chunksIndex, 'the pieces of a file', ['job']),
    query(chunks, 'delete', { files_id: '<' }, chunksIndex, 'pieces that no snapshot names', ['job']),
  ]
}
