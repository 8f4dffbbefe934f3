import { describe, expect, test } from '@jest/globals'
import type { Placement } from '../../shared/ports/search-index.js'
import { foldCopies } from '../../shared/text/fold-hits.js'
import { mergeOrders } from '../../shared/text/merge-orders.js'

interface Hit {
  id: string
  key: string
  placement: Placement
  score: number | null
  similarity: number | null
}

const aHit = (id: string, placement: Placement, score: number, similarity: number | null = null, key = id): Hit => {
  return { id, key, placement, score, similarity }
}
const keyOf = ({ key }: Hit) => key
const idsOf = (hits: Hit[]) => hits.map(({ id }) => id)

describe('two orders become one', () => {
  test('a hit of both is shown once, as the words place it, with its similarity', () => {
    const byWords = [aHit('a', 'some words', 0.4), aHit('b', 'some words', 0.3)]
    const near = [aHit('b', 'meaning', 0.9, 0.9), aHit('c', 'meaning', 0.8, 0.8)]

    const merged = mergeOrders(byWords, near, keyOf, 'model')

    expect(merged.map(({ id, placement, similarity }) => [id, placement, similarity])).toEqual([
      ['b', 'some words', 0.9],
      ['c', 'meaning', 0.8],
      ['a', 'some words', null],
    ])
  })

  test('exact names stay first, and keep their scores', () => {
    const byWords = [aHit('a', 'owner/repo', 1), aHit('b', 'name', 0.99), aHit('c', 'all words', 0.9)]
    const near = [aHit('d', 'meaning', 0.9, 0.9), aHit('b', 'meaning', 0.5, 0.5)]

    const merged = mergeOrders(byWords, near, keyOf, 'model')

    expect(idsOf(merged).slice(0, 2)).toEqual(['a', 'b'])
    expect(merged.slice(0, 2).map(({ score, similarity }) => [score, similarity])).toEqual([
      [1, null],
      [0.99, 0.5],
    ])
    expect(idsOf(merged).slice(2).sort()).toEqual(['c', 'd'])
  })

  test('of copies in both, the one that the words find is shown', () => {
    const byWords = [aHit('original', 'all words', 0.9, null, 'text')]
    const near = [aHit('fork', 'meaning', 0.9, 0.9, 'text'), aHit('other', 'meaning', 0.5, 0.5)]

    expect(idsOf(mergeOrders(byWords, near, keyOf, 'table'))).toEqual(['original', 'other'])
  })
})

describe('copies', () => {
  test('the best of them stays', () => {
    const hits = [
      aHit('a', 'all words', 0.9, null, 'x'),
      aHit('b', 'all words', 0.8, null, 'y'),
      aHit('c', 'all words', 0.7, null, 'x'),
    ]

    expect(idsOf(foldCopies(hits, keyOf))).toEqual(['a', 'b'])
    expect(idsOf(foldCopies([], keyOf))).toEqual([])
  })

  test('that whose owner/repo is the text stays, where it stands', () => {
    const hits = [
      aHit('original', 'all words', 0.9, null, 'x'),
      aHit('b', 'all words', 0.8, null, 'y'),
      aHit('fork', 'owner/repo', 1, null, 'x'),
      aHit('mirror', 'owner/repo', 1, null, 'x'),
    ]

    expect(idsOf(foldCopies(hits, keyOf))).toEqual(['b', 'fork'])
  })
})
