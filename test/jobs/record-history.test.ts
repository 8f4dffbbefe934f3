import { expect, test } from '@jest/globals'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { recordHistory } from '../../services/indexer/jobs/record-history.js'
import { skillOf } from '../../shared/records/skill.js'
import { type CatalogDay, dateOfDay, gainsOf } from '../../shared/records/stats.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const at = (date: string) => ({ clock: () => new Date(`${date}T12:00:00.000Z`) })

/** A catalog whose skills have these stars on these days. */
async function benchWith(days: Record<string, Record<string, number | null>>) {
  const bench = await openJobBench()
  for (const [date, stars] of Object.entries(days)) {
    await bench.catalog.put(
      'skills',
      Object.entries(stars).map(([repo, count]) => aSkill({ repo, stars: count })),
    )
    await bench.run(recordHistory, at(date))
  }
  const historyOf = async (repo: string) => {
    const [history] = await bench.catalog.readHistories([`acme/${repo}`])
    return history?.days.map(([day, stars]) => `${dateOfDay(day)} ${stars}`)
  }
  const trending = async () => {
    const { skills } = await bench.catalog.listSkills({ filters: {}, sort: 'trending', order: 'desc', limit: 9 })
    return skills.map((skill) => [skillOf(skill).repo, gainsOf(skill.trend)])
  }
  return { ...bench, historyOf, trending }
}

test('records a day of each skill that moved, and nothing of the others', async () => {
  const bench = await benchWith({
    '2026-11-01': { still: 5, moving: 5, unknown: null },
    '2026-11-02': { moving: 6 },
    '2026-11-04': { still: 5, moving: 9, unknown: 2 },
  })

  expect(await bench.historyOf('still')).toEqual(['2026-11-01 5'])
  expect(await bench.historyOf('moving')).toEqual(['2026-11-01 5', '2026-11-02 6', '2026-11-04 9'])
  expect(await bench.historyOf('unknown')).toEqual(['2026-11-04 2'])
})

test('skills trend by the stars of the last 7, then of the last 30 days, and stop to do so', async () => {
  const bench = await benchWith({
    '2026-11-01': { fast: 1, slow: 1, still: 100 },
    '2026-11-03': { slow: 41 },
    '2026-11-20': { fast: 3 },
  })
  const still = ['still', { days7: 0, days30: 0 }]

  expect(await bench.trending()).toEqual([['fast', { days7: 2, days30: 2 }], ['slow', { days7: 0, days30: 40 }], still])

  expect(await bench.run(recordHistory, at('2026-11-28'))).toEqual({ moved: 0, trending: 2 })
  expect(await bench.trending()).toEqual([['slow', { days7: 0, days30: 40 }], ['fast', { days7: 0, days30: 2 }], still])

  await bench.run(recordHistory, at('2026-12-24'))
  expect((await bench.trending()).map(([, gains]) => gains)).toEqual(Array(3).fill({ days7: 0, days30: 0 }))
  expect(await bench.catalog.listTrending(null, 10)).toEqual([])
})

test('a skill whose stars fell before they rose trends when the lower number is what a day compares with', async () => {
  const bench = await benchWith({
    '2026-11-01': { fell: 100, still: 200 },
    '2026-11-10': { fell: 40 },
    '2026-11-11': { fell: 90 },
  })
  expect((await bench.trending())[0]).toEqual(['still', { days7: 0, days30: 0 }])

  await bench.run(recordHistory, at('2026-11-16'))
  await bench.run(recordHistory, at('2026-11-17'))
  expect((await bench.trending())[0]).toEqual(['fell', { days7: 50, days30: 0 }])
  await bench.run(recordHistory, at('2026-11-20'))
  expect((await bench.trending())[0]).toEqual(['still', { days7: 0, days30: 0 }])
  await bench.run(recordHistory, at('2026-12-10'))
  expect((await bench.trending())[0]).toEqual(['fell', { days7: 0, days30: 50 }])
  await bench.run(recordHistory, at('2026-12-12'))
  expect(await bench.catalog.listTrending(null, 10)).toEqual([])
})

test('keeps the totals of each day for a year, the last ones of today', async () => {
  const bench = await benchWith({ '2025-11-01': { one: 5 } })
  const record = async (date: string) => {
    await bench.run(computeStats)
    await bench.run(recordHistory, at(date))
  }
  await record('2025-11-02')
  await record('2026-11-01')
  await bench.catalog.put('skills', [aSkill({ repo: 'two', stars: 6 })])
  await record('2026-11-02')
  await bench.catalog.remove('skills', ['acme/one'])
  await record('2026-11-02')

  const history = (await bench.catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
  expect(history.map(({ date, skills, repositories, stars }) => [date, skills, repositories, stars])).toEqual([
    ['2025-11-02', 1, 1, 5],
    ['2026-11-01', 1, 1, 5],
    ['2026-11-02', 1, 1, 6],
  ])
  await record('2026-11-04')
  const later = (await bench.catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
  expect(later.map(({ date }) => date)).toEqual(['2026-11-01', '2026-11-02', '2026-11-04'])
})

test('records nothing before everything was logged for the first time', async () => {
  const bench = await openJobBench()
  const bounds = await bench.changes.bounds()
  const changes = withOverrides(bench.changes, { bounds: async () => ({ ...bounds, complete: false }) })

  expect(await bench.run(recordHistory, { changes })).toEqual({ waitingFor: 'ingest' })
})
