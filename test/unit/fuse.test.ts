import { describe, expect, test } from '@jest/globals'
import { fusedScore, fusionWeights, inFusedOrder, meaningScore } from '../../shared/ranking/copies.js'
import { searchSettings } from '../../shared/search-settings.js'

const nothing = { fields: 0, text: 0, similarity: null }

const weights = { text: 0.5, meaning: 1 }

describe('fusedScore', () => {
  test('is between 0 and 0.97', () => {
    const most = { fields: 0.97, text: 1, similarity: 1 }
    expect(fusedScore(nothing, weights)).toBe(0)
    expect(fusedScore(most, weights)).toBe(0.97)
  })

  test.each([
    ['fields', { ...nothing, fields: 0.4 }],
    ['text', { ...nothing, text: 0.4 }],
    ['meaning', { ...nothing, similarity: 0.7 }],
  ])('a match of one kind needs no other: %s', (_, evidence) => {
    expect(fusedScore(evidence, weights)).toBeGreaterThan(0)
    expect(fusedScore({ ...evidence, fields: 0.6 }, weights)).toBeGreaterThan(fusedScore(evidence, weights))
  })

  test('what is not near, and meaning where it does not count, add nothing', () => {
    const far = { ...nothing, fields: 0.5, similarity: searchSettings.minSimilarity }
    expect(fusedScore(far, weights)).toBe(fusedScore({ ...far, similarity: null }, weights))
    const without = { ...weights, meaning: 0 }
    expect(fusedScore({ ...far, similarity: 1 }, without)).toBe(fusedScore(far, without))
  })
})

test('the better the fields of the best skill fit, the less text and meaning count; exact names do not matter', () => {
  const weightsAt = (score: number) =>
    fusionWeights(
      [
        { placement: 'some words', score },
        { placement: 'name', score: 0.99 },
      ],
      true,
    )
  const scores = [0, 0.2, 0.5, 0.9]

  for (const kind of ['text', 'meaning'] as const) {
    const found = scores.map((score) => weightsAt(score)[kind])
    expect(found).toEqual([...found].sort((a, b) => b - a))
    expect(found[0]).toBe(searchSettings.fusion[kind])
  }
  expect(fusionWeights([], false).meaning).toBe(0)
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

    const order = inFusedOrder([...hits], weights)

    expect(order.map(({ id }) => id)).toEqual(['id', 'name', 'near', 'both', 'words', 'same'])
    expect(order.slice(0, 2)).toEqual(hits.slice(0, 2))
  })
})

test('the score of a hit by meaning is its cosine in thousandths, never negative', () => {
  expect([0.123_456, 1, 0, -0.2].map(meaningScore)).toEqual([0.123, 1, 0, 0])
})
