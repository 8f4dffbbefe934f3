import { expect, test } from '@jest/globals'
import { divideSitemap, skillsPerPart } from '../../services/indexer/jobs/divide-sitemap.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const skillsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, place) => aSkill({ repo: `skill-${first + place}` }))

test('an empty catalog has one part', async () => {
  const bench = await openJobBench()

  expect(await bench.run(divideSitemap)).toEqual({ skills: 0, parts: 1 })
  expect(await bench.catalog.readState(stateKeys.sitemap)).toEqual({ starts: [0] })
})

test('divides nothing before everything was logged for the first time', async () => {
  const bench = await openJobBench()
  const bounds = await bench.changes.bounds()
  const changes = withOverrides(bench.changes, { bounds: async () => ({ ...bounds, complete: false }) })

  expect(await bench.run(divideSitemap, { changes })).toEqual({ waitingFor: 'ingest' })
  expect(await bench.catalog.readState(stateKeys.sitemap)).toBeNull()
})

test('a part begins after the last skill of the previous one; removals do not count', async () => {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [...skillsFrom(0, skillsPerPart - 1), aSkill({ repo: 'gone' })])
  await bench.catalog.remove('skills', ['acme/gone'])
  await bench.catalog.put('skills', skillsFrom(skillsPerPart - 1, 3))

  expect(await bench.run(divideSitemap)).toEqual({ skills: skillsPerPart + 2, parts: 2 })
  expect(await bench.run(divideSitemap)).toEqual({ skills: skillsPerPart + 2, parts: 2 })

  const state = await bench.catalog.readState<{ starts: number[] }>(stateKeys.sitemap)
  const rest = await bench.changes.after(state?.starts[1] ?? 0, 10)
  expect(rest.changes.map(({ id }) => id)).toEqual([`acme/skill-${skillsPerPart}`, `acme/skill-${skillsPerPart + 1}`])
})
