import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { byFitness, maxDistance, maxFieldScore, scoreOf } from '../../shared/text/fitness.js'

test('scores fall as fitness does, and are equal for equal fits', () => {
  const ofTerms = fc.integer({ min: 1, max: 10 }).chain((terms) => {
    const upTo = (max: number) => fc.integer({ min: 0, max })
    const fitness = fc.record({
      typos: upTo(2 * terms),
      distance: upTo(maxDistance(terms)),
      fields: upTo(maxFieldScore(terms)),
      unfinished: upTo(terms),
    })
    return fc.record({ terms: fc.constant(terms), a: fitness, b: fitness })
  })

  fc.assert(
    fc.property(ofTerms, ({ terms, a, b }) => {
      expect(Math.sign(scoreOf(b, terms) - scoreOf(a, terms))).toBe(Math.sign(byFitness(a, b)))
    }),
  )
})

test('a match of all words always scores better than a partial match', () => {
  const best = { typos: 0, distance: 0, fields: 0, unfinished: 0 }
  const worst = { typos: 6, distance: maxDistance(3), fields: maxFieldScore(3), unfinished: 3 }

  expect(scoreOf(best, 3)).toBe(0.97)
  expect(scoreOf(worst, 3)).toBeGreaterThan(0.2)
})
