import { describe, expect, test } from '@jest/globals'
import { fallenBelow } from '../relevance/kept-scores.js'
import { measureSet, worstMisses } from '../relevance/measure.js'
import { estimate, judgedMeasures, knownItemMeasures } from '../relevance/metrics.js'
import type { Query } from '../relevance/query-set.js'
import { formatSet, jsonOf } from '../relevance/report.js'

const query = (fields: Partial<Query>): Query => ({ kind: 'name', text: 'pdf', best: ['best'], good: [], ...fields })
const answer = (...ids: string[]): string[] => ids
const others = (count: number): string[] => Array.from({ length: count }, (_, place) => `other-${place}`)

test.each([
  ['first', answer('best', 'other'), 1, 1],
  ['fourth', answer(...others(3), 'best'), 1, 0.25],
  ['tenth', answer(...others(9), 'best'), 1, 0.1],
  ['not among the first ten', answer(...others(10), 'best'), 0, 0],
  ['missing', answer(), 0, 0],
])('the known item is %s', (_place, ids, recall, reciprocalRank) => {
  expect(knownItemMeasures['recall@10']?.(ids, query({}))).toBe(recall)
  expect(knownItemMeasures['MRR@10']?.(ids, query({}))).toBe(reciprocalRank)
})

const log2 = Math.log2
test.each([
  ['the ideal answer', answer('best', 'good'), 1, 1, 1],
  ['the best one second', answer('good', 'best'), 1, (1 + 3 / log2(3)) / (3 + 1 / log2(3)), 1],
  ['the best one fourth', answer(...others(3), 'best'), 0, 3 / log2(5) / (3 + 1 / log2(3)), 1],
  ['only a good one', answer('good'), 0, 1 / (3 + 1 / log2(3)), 1],
  ['nothing wanted', answer('other'), 0, 0, 0],
])('judged: %s', (_name, ids, success, gain, any) => {
  const judged = query({ good: ['good'] })

  expect(judgedMeasures['success@3']?.(ids, judged)).toBe(success)
  expect(judgedMeasures['nDCG@10']?.(ids, judged)).toBeCloseTo(gain, 10)
  expect(judgedMeasures['any@10']?.(ids, judged)).toBe(any)
})

test('ten wanted records in the first ten places are ideal, also when more are wanted', () => {
  const best = others(12)

  expect(judgedMeasures['nDCG@10']?.(best.slice(0, 10), query({ best }))).toBe(1)
})

describe('the interval of a mean', () => {
  const values = Array.from({ length: 100 }, (_, place) => (place < 80 ? 1 : 0))

  test('contains it, and is narrower for more values', () => {
    const few = estimate(values, 1)
    const more = estimate([...values, ...values, ...values, ...values], 1)

    // The standard error of 80 % in 100 is 4 %, so that the interval is about 16 % wide.
    expect(few).toEqual({ mean: 0.8, low: expect.closeTo(0.72, 1), high: expect.closeTo(0.88, 1) })
    expect(few.high - few.low).toBeGreaterThan(0.12)
    expect(few.high - few.low).toBeLessThan(0.2)
    expect(more.high - more.low).toBeLessThan((few.high - few.low) * 0.75)
  })

  test('depends on the seed only', () => {
    expect(estimate(values, 7)).toEqual(estimate(values, 7))
    expect(estimate([1, 1, 1], 1)).toEqual({ mean: 1, low: 1, high: 1 })
  })
})

const set = {
  name: 'kept',
  heldOut: false,
  measures: knownItemMeasures,
  worstBy: 'MRR@10',
  queries: [
    query({ kind: 'name', text: 'found' }),
    query({ kind: 'name', text: 'lost name' }),
    query({ kind: 'name', text: 'other lost name' }),
    query({ kind: 'typo', text: 'lost typo' }),
    query({ kind: 'typo', text: 'second' }),
  ],
}
const engine = {
  name: 'embedded',
  search: async (text: string) => (text === 'found' ? ['best'] : text === 'second' ? ['other', 'best'] : ['other']),
}

test('the worst misses come first, of each kind in turn', async () => {
  const { results } = await measureSet(set, [engine], 1)

  const misses = worstMisses(results['embedded'] ?? [], 'MRR@10', 3).map((miss) => miss.query.text)

  expect(misses).toEqual(['lost name', 'lost typo', 'other lost name'])
})

test('each kind and all of them have a row', async () => {
  const { rows } = await measureSet(set, [engine], 1)

  expect(rows.map(({ kind, count, estimates }) => [kind, count, estimates['MRR@10']?.['embedded']?.mean])).toEqual([
    ['name', 3, 1 / 3],
    ['typo', 2, 0.25],
    ['all', 5, 0.3],
  ])
})

test('a report on held-out queries has neither queries nor records', async () => {
  const shown = await measureSet(set, [engine], 1)
  const heldOut = await measureSet({ ...set, heldOut: true }, [engine], 1)

  expect(formatSet(shown)).toMatch(/lost name.*\n.*best.*other/)
  expect(formatSet(heldOut)).not.toMatch(/lost|best|other/)
  expect(JSON.stringify(jsonOf(shown))).toMatch(/lost name.*best.*other/)
  expect(JSON.stringify(jsonOf(heldOut))).not.toMatch(/lost|best|other/)
})

describe('a kind of query is answered worse than when its scores were kept', () => {
  const queries = Array.from({ length: 20 }, (_, place) => query({ kind: place < 10 ? 'name' : 'typo' }))
  const scores = (...lost: number[]) => ({
    embedded: { 'success@3': queries.map((_, place) => (lost.includes(place) ? 0 : 1)) },
  })

  test('when it has lost many, and gained none', () => {
    expect(fallenBelow(queries, scores(0, 1, 2, 3, 4), 1, scores())).toEqual([
      'embedded, name, success@3: 0.500, kept 1.000',
      'embedded, all, success@3: 0.750, kept 1.000',
    ])
  })

  test('not when it has lost one, or as many as it has gained', () => {
    expect(fallenBelow(queries, scores(0), 1, scores())).toEqual([])
    expect(fallenBelow(queries, scores(0, 1, 2, 3), 1, scores(4, 5, 6, 7))).toEqual([])
  })

  test('other queries than before are no comparison', () => {
    const fewer = { embedded: { 'success@3': [1, 1] } }

    expect(fallenBelow(queries, scores(), 1, fewer)).toEqual([
      'embedded, success@3: kept of 2 queries, and there are 20: keep them again',
    ])
  })
})
