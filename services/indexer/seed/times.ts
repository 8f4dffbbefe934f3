import type { Random } from './random.js'

/** Constant, since the same seed must give the same bytes at any time. */
const latestMs = Date.UTC(2026, 10, 1)
const earliestMs = Date.UTC(2015, 0, 1)

/** Times of creation, publication and last update; recent times are the most frequent. */
export function makeTimes(random: Random): { createdAt: string; updatedAt: string; publishedAt: string | null } {
  const createdMs = latestMs - (latestMs - earliestMs) * random.next() ** 2
  const updatedMs = latestMs - (latestMs - createdMs) * random.next() ** 2
  return {
    createdAt: toSecond(createdMs),
    updatedAt: toSecond(updatedMs),
    publishedAt: random.chance(0.6) ? toSecond(createdMs + (updatedMs - createdMs) / 2) : null,
  }
}

const toSecond = (epochMs: number): string => new Date(Math.floor(epochMs / 1_000) * 1_000).toISOString()
