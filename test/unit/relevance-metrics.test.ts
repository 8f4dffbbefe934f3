import { describe, expect, test } from '@jest/globals'
import { fallenBelow } from '../relevance/kept-scores.js'
import { formatSet, jsonOf, measureSet } from '../relevance/measure.js'
import { knownItemMeasures, type Query } from '../relevance/metrics.js'

const query = (fields: Partial<Query>): Query => ({ kind: 'name', text: 'pdf', best: ['best'], good: [], ...fields })

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
