import { describe, expect, test } from '@jest/globals'
import { keptOf, keptSnapshots } from '../../shared/adapters/files/stored-snapshot.js'

/** Snapshots that were published so many minutes ago, from the newest. */
const published = (...minutesAgo: number[]) =>
  minutesAgo.map((minutes) => ({
    minutes,
    generatedAt: new Date(Date.UTC(2026, 10, 25) - minutes * 60_000).toISOString(),
  }))

const kept = (minutesAgo: number[]) => keptOf(published(...minutesAgo), keptSnapshots).map(({ minutes }) => minutes)

describe('keptOf', () => {
  test('keeps a snapshot for an hour after it was replaced: three small imports take it from no download', () => {
    expect(kept([0, 1, 2, 3, 63, 123])).toEqual([0, 1, 2, 3, 63])
    expect(kept([0, 30, 58, 59, 61, 70])).toEqual([0, 30, 58, 59, 61])
  })

  test('of more than twelve, drops those that were the current one for the shortest time', () => {
    const imports = Array.from({ length: 20 }, (_, n) => n / 10)

    const left = kept([...imports, 40])

    expect(left).toHaveLength(12)
    expect(left).toContain(40)
    expect(left.slice(0, 3)).toEqual([0, 0.1, 0.2])
  })
})
