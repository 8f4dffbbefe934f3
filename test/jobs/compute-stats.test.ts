import { describe, expect, test } from '@jest/globals'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { pauseJobs } from '../../services/indexer/paused-jobs.js'
import { Stats } from '../../shared/records/stats.js'
import { stateKeys } from '../../shared/state-keys.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { intercepted, type JobBench, openJobBench } from '../support/job-bench.js'

describe('compute-stats', () => {
  test('keeps the figures of what is published, and the same again the second time', async () => {
    const bench = await openJobBench()
    const clock = () => new Date('2026-03-01T12:00:00.000Z')
    await bench.catalog.put('skills', [
      aSkill({ owner: 'Acme', topics: ['pdf'], stars: 3, updatedAt: '2026-01-01T00:00:00.000Z' }),
      aSkill({ owner: 'Acme', topics: ['pdf', 'ocr'], stars: 4, updatedAt: '2026-02-01T00:00:00.000Z' }),
      aSkill({ owner: 'zeta', state: 'hidden' }),
    ])
    await bench.catalog.put('prompts', [aPrompt()])
    await bench.catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme Inc.' })])

    await bench.run(computeStats, { clock })
    const first = await keptStats(bench)
    await bench.run(computeStats, { clock })

    expect(first).toEqual({
      totals: { skills: 2, prompts: 1, organizations: 1, topics: 2, stars: 7 },
      topOrganizations: [{ login: 'acme', name: 'Acme Inc.', skills: 2, stars: 7 }],
      topTopics: [
        { topic: 'pdf', skills: 2 },
        { topic: 'ocr', skills: 1 },
      ],
      freshness: {
        newestSkillUpdatedAt: '2026-02-01T00:00:00.000Z',
        oldestSkillUpdatedAt: '2026-01-01T00:00:00.000Z',
        lastSyncAt: null,
        statsGeneratedAt: '2026-03-01T12:00:00.000Z',
        exportsGeneratedAt: null,
      },
    })
    expect(await keptStats(bench)).toEqual(first)
  })

  test('has the index compared when it holds more than the catalog', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'one' })])
    await bench.run(syncSkills)
    const whole = await bench.run(computeStats)
    const gone = aSkill({ owner: 'acme', repo: 'gone' })
    await bench.index.apply({ publish: [{ id: gone.id, contentHash: 'any', skill: gone }], remove: [] })

    const more = await bench.run(computeStats)

    expect(computeStats.followedBy?.(whole)).toEqual([])
    expect(computeStats.followedBy?.(more)).toEqual(['verify-index'])
  })

  /** The same ports, with a write into the catalog before each call that counts something. */
  const writtenMeanwhile = (bench: JobBench, write: () => Promise<unknown>, times: number) => {
    let left = times
    const writing = <Port extends object>(port: Port) =>
      intercepted(port, (name, call) => async (...args) => {
        if (['status', 'countPublished', 'computeStats'].includes(name) && left > 0) {
          left -= 1
          await write()
        }
        return call(...args)
      })
    return { catalog: writing(bench.catalog), index: writing(bench.index) }
  }

  test.each([
    { way: 'grows', added: 3, removed: 0 },
    { way: 'shrinks', added: 0, removed: 4 },
    { way: 'changes', added: 2, removed: 2 },
  ])('has nothing compared in a catalog that $way while it is counted', async ({ added, removed }) => {
    const bench = await openJobBench()
    const skills = Array.from({ length: 300 }, () => aSkill())
    await bench.catalog.put('skills', skills)
    await bench.run(syncSkills)
    const write = async () => {
      await bench.catalog.put(
        'skills',
        Array.from({ length: added }, () => aSkill()),
      )
      await bench.catalog.remove(
        'skills',
        skills.splice(0, removed).map(({ id }) => id),
      )
      // A sync that runs at the same time, unless the counts are under its lock.
      await bench.run(syncSkills).catch(() => undefined)
    }

    for (const times of [1, 2, 3, 4, 7, 50]) {
      const result = await bench.run(computeStats, writtenMeanwhile(bench, write, times))
      expect(computeStats.followedBy?.(result)).toEqual([])
    }
  })

  test('finds what was deleted without a trace from a catalog that grows while it is counted', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'one' })])
    await bench.run(syncSkills)
    const gone = aSkill({ owner: 'acme', repo: 'gone' })
    await bench.index.apply({ publish: [{ id: gone.id, contentHash: 'any', skill: gone }], remove: [] })
    const write = () => bench.catalog.put('skills', [aSkill(), aSkill()])

    const result = await bench.run(computeStats, writtenMeanwhile(bench, write, 6))

    expect(result).toMatchObject({ extra: 1 })
    expect(computeStats.followedBy?.(result)).toEqual(['verify-index'])
  })

  test('leaves the index as it is while the sync is paused', async () => {
    const bench = await openJobBench()
    await pauseJobs(bench.catalog, [syncSkills.name])
    await bench.catalog.put('skills', [aSkill()])

    const result = await bench.run(computeStats)

    expect(result).toMatchObject({ skills: 1, indexed: 0 })
    expect(computeStats.followedBy?.(result)).toEqual([])
  })

  test('an empty catalog has figures too', async () => {
    const bench = await openJobBench()

    await bench.run(computeStats)

    expect(await keptStats(bench)).toMatchObject({ totals: { skills: 0, stars: 0 }, topOrganizations: [] })
  })

  test('freshness tells the last sync that ended well, whatever failed since', async () => {
    const bench = await openJobBench()
    await bench.run(syncSkills, { clock: () => new Date('2026-03-01T10:00:00.000Z') })
    await bench
      .run(
        { ...syncSkills, run: () => Promise.reject(new Error('away')) },
        { clock: () => new Date('2026-03-01T11:00:00.000Z') },
      )
      .catch(() => undefined)

    await bench.run(computeStats)

    expect(await keptStats(bench)).toMatchObject({ freshness: { lastSyncAt: '2026-03-01T10:00:00.000Z' } })
  })

  test('a rebuild brings the index up to date as well', async () => {
    const bench = await openJobBench()
    await bench.run(syncSkills, { clock: () => new Date('2026-03-01T10:00:00.000Z') })
    await bench.run(rebuildIndex, { clock: () => new Date('2026-03-02T10:00:00.000Z') })

    await bench.run(computeStats)

    expect(await keptStats(bench)).toMatchObject({ freshness: { lastSyncAt: '2026-03-02T10:00:00.000Z' } })
  })

  test('freshness tells when the export files were made', async () => {
    const bench = await openJobBench()
    await bench.run(writeExports, { clock: () => new Date('2026-03-01T10:00:00.000Z') })

    await bench.run(computeStats)

    expect(await keptStats(bench)).toMatchObject({ freshness: { exportsGeneratedAt: '2026-03-01T10:00:00.000Z' } })
  })
})

const keptStats = async (bench: JobBench) => Stats.parse(await bench.catalog.readState(stateKeys.stats))
