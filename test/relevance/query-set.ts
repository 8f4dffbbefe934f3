/** A query, and the ids of the records that answer it. */
export interface Query {
  kind: string
  text: string
  best: string[]
  good: string[]
}

/** The number of results that are asked for and measured. */
export const depth = 10

/** A measure of one answer, 0 to 1. */
type Measure = (ids: string[], query: Query) => number

/** Queries that are measured together. */
export interface QuerySet {
  name: string
  /** True: neither queries nor misses are shown. */
  heldOut: boolean
  queries: Query[]
  measures: Record<string, Measure>
  /** The measure that says which misses are the worst. */
  worstBy: string
}
