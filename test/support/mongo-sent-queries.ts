import { afterEach } from '@jest/globals'
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb'

/**
 * What a filter asks of a field: `0` that it is null or missing, `=` one of some values, `<` a range, `?` anything that no
 * index finds by itself.
 */
export type Condition = '0' | '=' | '<' | '?'

/** A query as MongoDB was sent it. */
export interface SentQuery {
  collection: string
  /** `count` is also the aggregation that only counts. */
  command: 'find' | 'count' | 'aggregate' | 'update' | 'delete' | 'findAndModify' | 'distinct'
  /** By path. */
  conditions: Record<string, Condition>
  /** What it asks of each path, as it was sent. */
  asked: Record<string, unknown[]>
  sort: Record<string, number>
  /** Whether at most so many documents are found as the query says. */
  isLimited: boolean
  /** What was being done. */
  during: string
}

/** Records the queries of all clients that this process connects from now on; the test's end stops it. */
export function recordQueries(): { sent: SentQuery[]; during(work: string): void } {
  const sent: SentQuery[] = []
  let now = ''
  const connect = MongoClient.prototype.connect
  MongoClient.prototype.connect = function (this: MongoClient) {
    this.on('commandStarted', (event) => sent.push(...queriesOf(event).map((query) => ({ ...query, during: now }))))
    return connect.call(this)
  }
  undo.push(() => {
    MongoClient.prototype.connect = connect
  })
  return {
    sent,
    during: (work) => {
      now = work
    },
  }
}

/** The address with which the driver reports its commands. */
export const monitored = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`

const undo: (() => void)[] = []

afterEach(() => {
  for (const each of undo.splice(0)) {
    each()
  }
})

type Unplaced = Omit<SentQuery, 'during'>

/** The queries of one command; none of a command that names a cursor, an index or the server. */
function queriesOf({ commandName, command }: Pick<CommandStartedEvent, 'commandName' | 'command'>): Unplaced[] {
  const collection = String(command[commandName])
  const query = (name: Unplaced['command'], filter: Document, options: Document = {}): Unplaced[] =>
    branchesOf(filter).map((asked) => ({
      collection,
      command: name,
      conditions: conditionsOf(asked),
      asked,
      sort: Object.fromEntries(
        options['sort'] instanceof Map ? options['sort'] : Object.entries(options['sort'] ?? {}),
      ),
      isLimited: Number(options['limit'] ?? 0) > 0,
    }))
  switch (commandName) {
    case 'find':
      return query('find', command['filter'] ?? {}, command)
    case 'count':
    case 'distinct':
      return query(commandName, command['query'] ?? {}, command)
    case 'findAndModify':
      return query('findAndModify', command['query'], { ...command, limit: 1 })
    case 'update':
      return command['updates'].flatMap(({ q, multi }: Document) => query('update', q, { limit: multi ? 0 : 1 }))
    case 'delete':
      return command['deletes'].flatMap(({ q, limit }: Document) => query('delete', q, { limit }))
    case 'aggregate':
      return ofPipeline(command['pipeline'], query)
    default:
      return []
  }
}

function ofPipeline(
  [first = {}, ...rest]: Document[],
  query: (name: Unplaced['command'], filter: Document, options: Document) => Unplaced[],
): Unplaced[] {
  if (first['$changeStream'] !== undefined) {
    return []
  }
  const stages = first['$match'] === undefined ? [first, ...rest] : rest
  const limit = stages.find((stage) => stage['$limit'] !== undefined)?.['$limit']
  const [grouped, ...others] = stages.filter((stage) => stage['$limit'] === undefined)
  const isCount = others.length === 0 && JSON.stringify(grouped) === '{"$group":{"_id":1,"n":{"$sum":1}}}'
  // A limit of another aggregation is of its result, unless it comes first.
  const isLimited = isCount || stages[0]?.['$limit'] !== undefined
  return query(isCount ? 'count' : 'aggregate', first['$match'] ?? {}, isLimited ? { limit } : {})
}

/** What a filter asks of each path, once for each branch of an `$or`: an index must serve each of them. */
function branchesOf(filter: Document): SentQuery['asked'][] {
  let branches: SentQuery['asked'][] = [{}]
  for (const [name, value] of Object.entries(filter)) {
    const more =
      name === '$and'
        ? combined(value.map(branchesOf))
        : name === '$or'
          ? value.flatMap(branchesOf)
          : [{ [name]: [value] }]
    branches = combined([branches, more])
  }
  return branches
}

const combined = (alternatives: SentQuery['asked'][][]): SentQuery['asked'][] =>
  alternatives.reduce((left, right) => left.flatMap((one) => right.map((other) => both(one, other))), [{}])

const both = (one: SentQuery['asked'], other: SentQuery['asked']): SentQuery['asked'] => ({
  ...one,
  ...Object.fromEntries(Object.entries(other).map(([path, values]) => [path, [...(one[path] ?? []), ...values]])),
})

/** The strictest condition of each path. */
const conditionsOf = (asked: SentQuery['asked']): Record<string, Condition> =>
  Object.fromEntries(
    Object.entries(asked).map(([path, values]) => {
      const conditions = values.map((value) => conditionOf(path, value))
      return [path, order.find((each) => conditions.includes(each)) ?? '?']
    }),
  )

const order: Condition[] = ['0', '=', '<', '?']

function conditionOf(name: string, value: unknown): Condition {
  if (name.startsWith('$')) {
    return '?'
  }
  if (value === null) {
    return '0'
  }
  // Of one item of a list.
  if (isOperators(value) && '$elemMatch' in value) {
    return conditionOf(name, value['$elemMatch'])
  }
  const operators = isOperators(value) ? Object.keys(value) : ['$eq']
  const asks = (...names: string[]) => operators.some((operator) => names.includes(operator))
  return asks('$eq', '$in', '$all') ? '=' : asks('$gt', '$gte', '$lt', '$lte') ? '<' : '?'
}

const isOperators = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.keys(value).some((name) => name.startsWith('$'))
