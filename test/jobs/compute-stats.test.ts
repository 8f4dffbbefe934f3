import { describe, expect, test } from '@jest/globals'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { recordHistory } from '../../services/indexer/jobs/record-history.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { Stats } from '../../shared/records/stats.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aPrompt, aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

describe('compute-stats', () => {
  test('the first records are followed by the jobs whose results would stay empty for an hour or a day', async () => {
    const bench = await openJobBench()
    const followers = async () => computeStats.followedBy?.(await bench.run(computeStats))
    await bench.run(writeDataset)
    await bench.run(recordHistory)
    expect(await followers()).toEqual([])

    // Each type, in any order.
    for (const [type, record] of [
      ['prompts', aPrompt()],
      ['skills', aSkill()],
    ] as const) {
      await bench.catalog.put(type, [record])
      expect(await followers()).toEqual([writeDataset.name, recordHistory.name, 'divide-sitemap'])

      await bench.run(writeDataset)
      await bench.run(recordHistory)
      expect(await followers()).toEqual([])
    }
  })

  test('an index that was lost, or has other settings, is left to the sync', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill()])
    for (const job of [syncIndex, computeStats, writeDataset, recordHistory]) {
      await bench.run(job)
    }
    const whole = await bench.run(computeStats)
    const lost = withOverrides(bench.index, { status: async () => ({ documents: 0, settings: null }) })

    expect(computeStats.followedBy?.(whole)).toEqual([])
    expect(computeStats.followedBy?.(await bench.run(computeStats, { index: lost }))).toEqual(['sync-index'])
  })

  test('the statistics are computed without an index that does not answer', async () => {
    const bench = await openJobBench()
    const unreachable = withOverrides(bench.index, { status: () => Promise.reject(new Error('unreachable')) })

    const result = await bench.run(computeStats, { index: unreachable })

    expect(result).toMatchObject({ skills: 0, indexed: null })
    expect(computeStats.followedBy?.(result)).toEqual([])
  })

  test('freshness has the last successful sync or rebuild, despite later failures, and the time of the export files', async () => {
    const bench = await openJobBench()
    const at = (hour: number) => ({ clock: () => new Date(`2026-03-01T${hour}:00:00.000Z`) })
    const freshness = async () => {
      await bench.run(computeStats)
      return Stats.parse(await bench.catalog.readState(stateKeys.stats)).freshness
    }
    await bench.run(syncIndex, at(10))
    const failing = { ...syncIndex, run: () => Promise.reject(new Error('away')) }
    await expect(bench.run(failing, at(11))).rejects.toThrow('away')

    expect(await freshness()).toMatchObject({ lastSyncAt: '2026-03-01T10:00:00.000Z' })
    await bench.run(rebuildIndex, at(12))
    await bench.run(writeExports, at(13))
    expect(await freshness()).toMatchObject({
      lastSyncAt: '2026-03-01T12:00:00.000Z',
      exportsGeneratedAt: '2026-03-01T13:00:00.000Z',
    })
  })
})
