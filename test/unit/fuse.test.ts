import { describe, expect, test } from '@jest/globals'
import { searchSettings } from '../../shared/search-settings.js'
import { fusedScore, inFusedOrder, meaningScore } from '../../shared/text/fuse.js'

const nothing = { fields: 0, text: 0, similarity: null }

describe('fusedScore', () => {
  test.each([null, 'table', 'model'] as const)('is between 0 and 0.97, with vectors of a %s', (kind) => {
    for (const isTask of [true, false]) {
      expect(fusedScore(nothing, kind, isTask)).toBe(0)
      const most = { fields: 0.97, text: searchSettings.text.most, similarity: 1 }
      expect(fusedScore(most, kind, isTask)).toBe(0.97)
      expect(fusedScore({ ...most, text: 5 }, kind, isTask)).toBe(0.97)
    }
  })

  test.each([
    ['fields', { ...nothing, fields: 0.4 }],
    ['text', { ...nothing, text: 0.4 }],
    ['meaning', { ...nothing, similarity: 0.7 }],
  ])('a match of one kind needs no other: %s', (_, evidence) => {
    expect(fusedScore(evidence, 'table', false)).toBeGreaterThan(0)
    expect(fusedScore({ ...evidence, fields: 0.6 }, 'table', false)).toBeGreaterThan(
      fusedScore(evidence, 'table', false),
    )
  })

  test('what is not near, and meaning where it does not count, add nothing', () => {
    const far = { ...nothing, fields: 0.5, similarity: searchSettings.minSimilarity }
    expect(fusedScore(far, 'table', false)).toBe(fusedScore({ ...far, similarity: null }, 'table', false))
    expect(fusedScore({ ...far, similarity: 1 }, null, false)).toBe(fusedScore(far, null, false))
  })
})

describe('inFusedOrder', () => {
  test('exact names stay first, as they stand; the others follow by their sums, equal ones as they stand', () => {
    const hits = [
      { id: 'id', placement: 'owner/repo', score: 1 },
      { id: 'name', placement: 'name', score: 0.99, text: 0.1 },
      { id: 'words', placement: 'some words', score: 0.3 },
      { id: 'both', placement: 'some words', score: 0.3, text: 0.5 },
      { id: 'same', placement: 'some words', score: 0.3 },
      { id: 'near', placement: 'meaning', score: 0, similarity: 0.9 },
    ] as const

    const order = inFusedOrder([...hits], 'table', false)

    expect(order.slice(0, 3).map(({ id }) => id)).toEqual(['id', 'name', 'both'])
    expect(order.slice(0, 2)).toEqual(hits.slice(0, 2))
    const [words, same] = ['words', 'same'].map((wanted) => order.findIndex(({ id }) => id === wanted))
    expect(same).toBe(Number(words) + 1)
  })
})

test('the score of a hit by meaning is its cosine in thousandths, never negative', () => {
  expect([0.123_456, 1, 0, -0.2].map(meaningScore)).toEqual([0.123, 1, 0, 0])
})
