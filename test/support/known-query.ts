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

/** Makes the row of a query. */
export const query = (
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

export const [state, id] = ['_catalog.state', '_catalog.id']

export const key = (name: string): string => `_catalog.skill.${name}`

/** A document that is found by its `_id`. */
export const byIdentity = (
  collections: string | readonly string[],
  commands: SentQuery['command'][],
  purposes: Purpose[],
): KnownQuery =>
  query(collections, commands, { _id: '=' }, '_id_', 'the documents of these ids', purposes, { rest: 'any' })
