import { describe, expect, test } from '@jest/globals'
import { fuse, meaningScore, meaningWeight } from '../../shared/text/fuse.js'

// k is 5: the places count 1/6, 1/7, 1/8, …; the best sum is (1 + weight) / 6, which scores 0.97.
describe('fuse', () => {
  test('the first of both orders scores 0.97; places later in either count less', () => {
    expect(fuse(['a', 'b'], ['a', 'c'], 1)).toEqual([
      { key: 'a', score: 0.97 },
      // 0.97 × (1/7) ÷ (2/6), from one order only.
      { key: 'b', score: 0.416 },
      { key: 'c', score: 0.416 },
    ])
  })

  test('a place by meaning counts as much as its weight', () => {
    // a: 1/6 = 0.1667; b: 1/7 + 0.3/6 = 0.1929; c: 0.3/7 = 0.0429; of at most 1.3/6 = 0.2167.
    expect(fuse(['a', 'b'], ['b', 'c'], 0.3)).toEqual([
      { key: 'b', score: 0.863 },
      { key: 'a', score: 0.746 },
      { key: 'c', score: 0.192 },
    ])
    // a: 1/6 = 0.1667; b: 1.4/6 = 0.2333; of at most 2.4/6 = 0.4.
    expect(fuse(['a'], ['b'], 1.4)).toEqual([
      { key: 'b', score: 0.566 },
      { key: 'a', score: 0.404 },
    ])
  })

  test('where two tie, the order by words decides', () => {
    expect(fuse(['x', 'y'], ['y', 'x'], 1).map(({ key }) => key)).toEqual(['x', 'y'])
    expect(fuse(['w'], ['m'], 1).map(({ key }) => key)).toEqual(['w', 'm'])
  })

  test('one order alone stays as it is', () => {
    expect(fuse(['a', 'b', 'c'], [], 0.7).map(({ key }) => key)).toEqual(['a', 'b', 'c'])
    expect(fuse([], ['a', 'b', 'c'], 0.7).map(({ key }) => key)).toEqual(['a', 'b', 'c'])
    expect(fuse([], [], 0.7)).toEqual([])
  })
})

test('the score of a hit by meaning is its cosine in thousandths, never negative', () => {
  expect([0.123_456, 1, 0, -0.2].map(meaningScore)).toEqual([0.123, 1, 0, 0])
})

test('meaning weighs more for a model of sentences, and less where a skill has all words', () => {
  expect(meaningWeight('table', 'all words')).toBe(0.2)
  expect(meaningWeight('table', 'some words')).toBe(0.7)
  expect(meaningWeight('table', undefined)).toBe(0.7)
  expect(meaningWeight('model', 'all words')).toBe(0.7)
  expect(meaningWeight('model', 'some words')).toBe(1.4)
})
