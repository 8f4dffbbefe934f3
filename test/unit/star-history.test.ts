import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  dateOfDay,
  dayOf,
  gainsOf,
  gainsUntil,
  historyDays,
  type StarDay,
  type StarGains,
  trendOf,
  withDay,
} from '../../shared/records/stats.js'

/** A history from the numbers of consecutive runs. */
const recorded = (numbers: StarDay[]): StarDay[] =>
  numbers.reduce<StarDay[]>((history, [day, stars]) => withDay(history, day, stars), [])

test('a day is one of UTC', () => {
  expect(dateOfDay(dayOf(new Date('2026-11-25T23:59:59.999Z')))).toBe('2026-11-25')
  expect(dateOfDay(dayOf(new Date('2026-11-26T00:00:00.000Z')))).toBe('2026-11-26')
})

describe('withDay', () => {
  test('a number that returns to that of the day before is no move', () => {
    expect(
      recorded([
        [100, 5],
        [101, 9],
        [101, 5],
      ]),
    ).toEqual([[100, 5]])
  })

  test('never holds more than a year of days', () => {
    const history = recorded(Array.from({ length: 1_000 }, (_, day): StarDay => [day, day]))

    expect(history).toHaveLength(historyDays + 1)
    expect(history.at(-1)).toEqual([999, 999])
  })

  test('the number of any day of the last year can be read from it', () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 })))
    const canBeRead = fc.property(runs, (steps) => {
      const numbers = new Map<number, number>()
      let day = 0
      let history: StarDay[] = []
      for (const [days, stars] of steps) {
        day += days
        numbers.set(day, stars)
        history = withDay(history, day, stars)
      }
      for (const [at, stars] of numbers) {
        if (at >= day - historyDays) {
          expect(history.findLast(([each]) => each <= at)?.[1]).toBe(stars)
        }
      }
    })
    expect(() => fc.assert(canBeRead)).not.toThrow()
  })
})

test('being new is no gain, nor are lost stars', () => {
  const lost: StarDay[] = [
    [100, 9],
    [129, 4],
  ]

  for (const history of [[], [[130, 500] satisfies StarDay], lost]) {
    expect(gainsUntil(history, 130)).toEqual({ days7: 0, days30: 0 })
  }
})

/** A history with these gains on day 100. */
const gaining = ({ days7, days30 }: StarGains): StarDay[] => [
  [10, 1],
  [80, 1 + days30 - days7],
  [100, 1 + days30],
]

describe('trendOf', () => {
  test('is null without any, and exact up to a hundred million stars in a week', () => {
    expect(trendOf([], 100)).toBeNull()
    expect(trendOf([[99, 5]], 100)).toBeNull()
    expect(gainsOf(null)).toEqual({ days7: 0, days30: 0 })
    const most = { days7: 100_000_000, days30: 100_000_000 }
    expect(gainsOf(trendOf(gaining(most), 100))).toEqual({ days7: 100_000_000, days30: 9_999_999 })
  })

  test('a day on which a skill gains is preceded by one with a trend, or by a move', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 9 })), { maxLength: 12 })
    const holds = fc.property(moves, (given) => {
      let history: StarDay[] = []
      let day = 0
      for (const [later, stars] of given) {
        for (const last = day + later; day < last; day += 1) {
          const isLookedAt = trendOf(history, day) !== null
          const { days30, days7 } = gainsUntil(history, day + 1)
          expect(isLookedAt || days30 + days7 === 0).toBe(true)
        }
        history = withDay(history, day, stars)
      }
    })
    expect(() => fc.assert(holds)).not.toThrow()
  })
})
