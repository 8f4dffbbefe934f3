import { describe, expect, test } from '@jest/globals'
import { canContinue, readChangePosition, writeChangePosition } from '../../services/query/change-position.js'
import { sequenceStep } from '../../shared/ports/change-log.js'

const dayMs = 86_400_000
const now = Date.parse('2026-11-21T14:00:00.000Z')
const midnight = Date.parse('2026-11-21T00:00:00.000Z')
const sequenceAt = (ms: number) => ms * sequenceStep

describe('a position in the changes', () => {
  test('of somebody who follows is the sequence itself', () => {
    const sequence = sequenceAt(now)

    expect(readChangePosition(sequence, now)).toEqual({ sequence, walkingSinceMs: null })
    expect(writeChangePosition({ sequence, walkingSinceMs: null }, sequence)).toBe(sequence)
  })

  test('from the start begins a walk, which is marked until it has come to the horizon', () => {
    const horizon = sequenceAt(now - 30 * dayMs)
    const start = readChangePosition(0, now)
    expect(start).toEqual({ sequence: 0, walkingSinceMs: midnight })

    const early = writeChangePosition({ ...start, sequence: horizon - sequenceStep }, horizon)
    expect(early).toBeGreaterThan(horizon - sequenceStep)
    expect(early).toBeLessThan(horizon)
    expect(readChangePosition(early, now)).toEqual({ sequence: horizon - sequenceStep, walkingSinceMs: midnight })
    expect(writeChangePosition({ ...start, sequence: horizon }, horizon)).toBe(horizon)
  })

  test('keeps the day on which its walk began, for more than two years', () => {
    const horizon = sequenceAt(now)
    for (let began = 0; began < 998; began += 1) {
      const mark = writeChangePosition({ sequence: sequenceStep, walkingSinceMs: midnight - began * dayMs }, horizon)
      expect(readChangePosition(mark, now).walkingSinceMs).toBe(midnight - began * dayMs)
    }
  })

  test('is a number that JSON and JavaScript keep, in two hundred years as well', () => {
    const then = Date.parse('2226-01-01T00:00:00.000Z')
    const mark = writeChangePosition({ sequence: sequenceAt(then), walkingSinceMs: midnight }, Number.MAX_SAFE_INTEGER)

    expect(mark).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })
})

describe('whether a position can be continued', () => {
  const head = sequenceAt(now)
  const horizon = sequenceAt(now - 10 * dayMs)
  const follower = (sequence: number) => ({ sequence, walkingSinceMs: null })

  test('it can at and above the horizon, up to the head', () => {
    expect(canContinue(follower(horizon), { head, horizon })).toBe(true)
    expect(canContinue(follower(head), { head, horizon })).toBe(true)
    expect(canContinue(follower(head + sequenceStep), { head, horizon })).toBe(false)
  })

  test('below the horizon it cannot, since removals were dropped there', () => {
    expect(canContinue(follower(horizon - sequenceStep), { head, horizon })).toBe(false)
  })

  test('below the horizon a walk can that began after what was dropped', () => {
    const walk = (walkingSinceMs: number) => ({ sequence: sequenceStep, walkingSinceMs })

    expect(canContinue(walk(midnight - 9 * dayMs), { head, horizon })).toBe(true)
    expect(canContinue(walk(midnight - 11 * dayMs), { head, horizon })).toBe(false)
  })
})
