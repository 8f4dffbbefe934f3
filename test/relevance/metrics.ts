import { Random } from '../../services/indexer/seed/random.js'
import { pick } from '../soak/pick.js'

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

const resamples = 1_000

/** A mean, and the interval that has it with a probability of 95 %. */
export interface Estimate {
  mean: number
  low: number
  high: number
}

const isAnyOf = (wanted: string[], ids: string[], first: number): number =>
  ids.slice(0, first).some((id) => wanted.includes(id)) ? 1 : 0

/** 1 divided by the place of the first wanted record; 0 when it is not in the answer. */
function reciprocalRank(ids: string[], { best }: Query): number {
  const place = ids.slice(0, depth).findIndex((id) => best.includes(id))
  return place === -1 ? 0 : 1 / (place + 1)
}

/** The gain of the answer, later places counting less, divided by that of the ideal answer. */
function normalizedGain(ids: string[], { best, good }: Query): number {
  const gainOf = (id: string): number => (best.includes(id) ? 3 : Number(good.includes(id)))
  return discounted(ids.map(gainOf)) / discounted([...best, ...good].map(gainOf))
}

const discounted = (gains: number[]): number =>
  gains.slice(0, depth).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0)

/** The measures of queries that are made from a record. */
export const knownItemMeasures: QuerySet['measures'] = {
  'recall@10': (ids, { best }) => isAnyOf(best, ids, depth),
  'MRR@10': reciprocalRank,
}

/** The measures of judged queries. */
export const judgedMeasures: QuerySet['measures'] = {
  'success@3': (ids, { best }) => isAnyOf(best, ids, 3),
  'nDCG@10': normalizedGain,
  'any@10': (ids, { best, good }) => isAnyOf([...best, ...good], ids, depth),
}

/** The mean of values, with its bootstrap interval. The same seed draws the same resamples. */
export function estimate(values: number[], seed: number): Estimate {
  const random = new Random(seed, 'bootstrap')
  const means = Array.from({ length: resamples }, () => mean(values.map(() => pick(random, values))))
  means.sort((a, b) => a - b)
  const at = (share: number): number => means[Math.round(share * (resamples - 1))] ?? 0
  return { mean: mean(values), low: at(0.025), high: at(0.975) }
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
