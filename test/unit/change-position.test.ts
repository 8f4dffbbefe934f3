import { describe, expect, test } from '@jest/globals'
import { canContinue, readChangePosition, writeChangePosition } from '../../services/query/endpoints/list-changes.js'
import { sequenceStep } from '../../shared/ports/change-log.js'

const dayMs = 86_400_000
const now = Date.parse('2026-11-21T14:00:00.000Z')
const midnight = Date.parse('2026-11-21T00:00:00.000Z')
const sequenceAt = (ms: number) => ms * sequenceStep

describe('a position in the changes', () => {
  test('of a client that has reached the horizon is the sequence itself', () => {
    const sequence = sequenceAt(now)

    expect(readChangePosition(sequence, now)).toEqual({ sequence, readStartedMs: null })
    expect(writeChangePosition({ sequence, readStartedMs: null }, sequence)).toBe(sequence)
  })

  test('of a read from the start is marked until it reaches the horizon', () => {
    const horizon = sequenceAt(now - 30 * dayMs)
    const start = readChangePosition(0, now)
    expect(start).toEqual({ sequence: 0, readStartedMs: midnight })

    const early = writeChangePosition({ ...start, sequence: horizon - sequenceStep }, horizon)
    expect(early).toBeGreaterThan(horizon - sequenceStep)
    expect(early).toBeLessThan(horizon)
    expect(readChangePosition(early, now)).toEqual({ sequence: horizon - sequenceStep, readStartedMs: midnight })
    expect(writeChangePosition({ ...start, sequence: horizon }, horizon)).toBe(horizon)
  })

  test('keeps the day on which its read began, for more than two years', () => {
    const horizon = sequenceAt(now)
    for (let began = 0; began < 998; began += 1) {
      const mark = writeChangePosition({ sequence: sequenceStep, readStartedMs: midnight - began * dayMs }, horizon)
      expect(readChangePosition(mark, now).readStartedMs).toBe(midnight - began * dayMs)
    }
  })

  test('is a safe integer, also in two hundred years', () => {
    const then = Date.parse('2226-01-01T00:00:00.000Z')
    const mark = writeChangePosition({ sequence: sequenceAt(then), readStartedMs: midnight }, Number.MAX_SAFE_INTEGER)

    expect(mark).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })
})

describe('whether a position can be continued', () => {
  const head = sequenceAt(now)
  const horizon = sequenceAt(now - 10 * dayMs)
  const follower = (sequence: number) => ({ sequence, readStartedMs: null })

  test('it can at and after the horizon, up to the head', () => {
    expect(canContinue(follower(horizon), { head, horizon })).toBe(true)
    expect(canContinue(follower(head), { head, horizon })).toBe(true)
    expect(canContinue(follower(head + sequenceStep), { head, horizon })).toBe(false)
  })

  test('it cannot before the horizon, since removals were dropped there', () => {
    expect(canContinue(follower(horizon - sequenceStep), { head, horizon })).toBe(false)
  })

  test('it can before the horizon when the read began after the dropped removals', () => {
    const walk = (readStartedMs: number) => ({ sequence: sequenceStep, readStartedMs })

    expect(canContinue(walk(midnight - 9 * dayMs), { head, horizon })).toBe(true)
    expect(canContinue(walk(midnight - 11 * dayMs), { head, horizon })).toBe(false)
  })
})
