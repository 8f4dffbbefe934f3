import { describe, expect, test } from '@jest/globals'
import { StatsCache } from '../../services/query/endpoints/stats.js'
import type { Stats } from '../../shared/records/stats.js'

const someStats = (skills: number): Stats => ({
  totals: { skills, repositories: skills, prompts: 0, organizations: 0, topics: 0, stars: 0 },
  topOrganizations: [],
  topTopics: [],
  freshness: {
    newestSkillUpdatedAt: null,
    oldestSkillUpdatedAt: null,
    lastSyncAt: null,
    statsGeneratedAt: null,
    exportsGeneratedAt: null,
  },
})

/** A cache over a store whose statistics, failures and calls the test controls. */
function aCache() {
  const store = { stats: someStats(1) as Stats | null, failing: false, reads: 0, nowMs: 1_000_000 }
  const read = async () => {
    store.reads += 1
    if (store.failing) {
      throw new Error('the store is gone')
    }
    return store.stats
  }
  const cache = new StatsCache(read, () => store.nowMs)
  /** The served statistics and their age. */
  const served = async () => {
    const { text, ageSeconds } = await cache.get()
    const { data } = JSON.parse(String(await text.encoded(null)))
    return { stats: data, ageSeconds }
  }
  return { store, cache, served }
}

describe('stats cache', () => {
  test('serves the last statistics when the store fails, with their right age, and does not read it for a while', async () => {
    const { store, cache, served } = aCache()
    await cache.get()
    store.failing = true

    store.nowMs += 3_600_000
    expect(await served()).toEqual({ stats: someStats(1), ageSeconds: 3_600 })
    store.nowMs += 9_000
    expect(await served()).toEqual({ stats: someStats(1), ageSeconds: 3_609 })
    expect(store.reads).toBe(2)

    store.failing = false
    store.nowMs += 1_000
    expect((await cache.get()).ageSeconds).toBe(0)
  })

  test('keeps the last statistics when the store has lost them', async () => {
    const { store, cache, served } = aCache()
    await cache.get()
    store.stats = null

    store.nowMs += 400_000

    expect(await served()).toEqual({ stats: someStats(1), ageSeconds: 400 })
    store.nowMs += 9_000
    await cache.get()
    expect(store.reads).toBe(2)
  })

  test('before the first computation it is not ready, and reads the store each time', async () => {
    const { store, cache } = aCache()
    store.stats = null

    await expect(cache.get()).rejects.toMatchObject({
      status: 503,
      code: 'stats_not_ready',
      headers: { 'Retry-After': '5' },
    })
    store.stats = someStats(1)
    expect((await cache.get()).ageSeconds).toBe(0)
  })

  test('a clock that is set back gives no negative age', async () => {
    const { store, cache } = aCache()
    await cache.get()

    store.nowMs -= 50_000

    expect((await cache.get()).ageSeconds).toBe(0)
  })
})
