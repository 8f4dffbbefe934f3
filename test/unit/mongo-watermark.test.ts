import { describe, expect, test } from '@jest/globals'
import { advance, beginning, overlapMs, type ToldChange } from '../../shared/adapters/servers/mongo-watermark.js'

const change = (at: number): ToldChange => ({ id: `acme/at-${at}`, at, mark: String(at) })

/** Some time after the beginning of the database's clock. */
const t = 1_000_000

describe('the watermark of a run of several stretches', () => {
  test('far behind the present, nothing is looked at again', () => {
    const first = advance(beginning, [change(t)], t + 60_000, true)
    const last = advance(first, [change(t + 1)], t + 61_000, false)

    expect(first.within).toMatchObject({ at: t, nextSettledBefore: null })
    expect(last).toEqual({ settledBefore: t + 61_000 - overlapMs, told: {}, within: null })
  })

  test('from where it has reached what is not settled, the next run looks again, however long this one goes on', () => {
    const first = advance(beginning, [change(t)], t + 60_000, true)
    const second = advance(first, [change(t + 59_000)], t + 61_000, true)
    const last = advance(second, [change(t + 100_000)], t + 200_000, false)

    expect(last.settledBefore).toBe(t + 61_000 - overlapMs)
    expect(Object.keys(last.told)).toEqual([`acme/at-${t + 59_000}`, `acme/at-${t + 100_000}`])
  })

  test('a single stretch is looked at again as far as it is not settled', () => {
    const only = advance(beginning, [change(t), change(t + 10_000)], t + 10_500, false)

    expect(only.settledBefore).toBe(t + 10_500 - overlapMs)
    expect(Object.keys(only.told)).toEqual([`acme/at-${t + 10_000}`])
  })
})
