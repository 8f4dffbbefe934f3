import { describe, expect, test } from '@jest/globals'
import {
  areNear,
  fusedScore,
  fusionWeights,
  inFusedOrder,
  meaningScore,
  sketchIn,
} from '../../shared/ranking/merge-hits.js'
import { searchSettings } from '../../shared/search-settings.js'
import { type Sketch, sketchOf } from '../../shared/text/skill-words.js'
import { aLongText } from '../support/factories.js'

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\W+/)
const sketch = (text: string, name = '', description: string | null = null): Sketch => {
  const made = sketchIn(sketchOf({ name, description }, wordsOf(text)))
  if (made === null) {
    throw new Error('The text is too short to compare.')
  }
  return made
}

describe('near copies', () => {
  const text = aLongText('guide')

  test('are texts with a few other words, in any place', () => {
    const others = [text, `Further. ${text}`, `${text} Further.`, text.replace(/(?<=^.{700}\w+ )\w+/s, 'further')]
    expect(others.map((other) => areNear(sketch(text), sketch(other)))).toEqual(others.map(() => true))
    expect(others.map((other) => areNear(sketch(other), sketch(text)))).toEqual(others.map(() => true))
  })

  test('are no texts of which half is the same', () => {
    const halves = [0, 1, 2, 3, 4, 5, 6, 7].map(
      (n) => text.slice(0, text.length / 2) + aLongText(`${n}`).slice(0, text.length / 2),
    )
    expect(halves.map((half) => areNear(sketch(text), sketch(half)))).toEqual(halves.map(() => false))
  })

  test('have about the same description, too', () => {
    const described = (subject: string) => sketch(text.slice(0, 600), '', aLongText(subject).slice(0, 250))
    expect(areNear(described('a'), described('a'))).toBe(true)
    expect(areNear(described('a'), described('b'))).toBe(false)
  })

  test('a short text has no sketch, however long it is', () => {
    const skill = { name: 'x', description: null }
    expect(sketchOf(skill, wordsOf(text).slice(0, 50))).toBeNull()
    expect(sketchOf(skill, Array(10_000).fill('again'))).toBeNull()
    expect(sketchOf(skill, [])).toBeNull()
  })

  test('a sketch is read from its text, and nothing else is one', () => {
    expect(sketch(text)).toHaveLength(8)
    expect([null, undefined, '', 'AAAA', 5].map(sketchIn)).toEqual([null, null, null, null, null])
  })
})

const nothing = { score: 0, text: 0, similarity: null }

const weights = { text: 0.5, meaning: 1 }

describe('fusedScore', () => {
  test('is between 0 and 0.97', () => {
    const most = { score: 0.97, text: 1, similarity: 1 }
    expect(fusedScore(nothing, weights)).toBe(0)
    expect(fusedScore(most, weights)).toBe(0.97)
  })

  test.each([
    ['fields', { ...nothing, score: 0.4 }],
    ['text', { ...nothing, text: 0.4 }],
    ['meaning', { ...nothing, similarity: 0.7 }],
  ])('a match of one kind needs no other: %s', (_, evidence) => {
    expect(fusedScore(evidence, weights)).toBeGreaterThan(0)
    expect(fusedScore({ ...evidence, score: 0.6 }, weights)).toBeGreaterThan(fusedScore(evidence, weights))
  })

  test('what is not near, and meaning where it does not count, add nothing', () => {
    const far = { ...nothing, score: 0.5, similarity: searchSettings.minSimilarity }
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
