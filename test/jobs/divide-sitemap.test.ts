import { expect, test } from '@jest/globals'
import { divideSitemap, skillsPerPart } from '../../services/indexer/jobs/divide-sitemap.js'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'

const manySkills = (count: number) => Array.from({ length: count }, (_, place) => aSkill({ repo: `many-${place}` }))

/** Logs so many skills as published, named by number from `first` on. */
async function log({ changes }: Awaited<ReturnType<typeof openJobBench>>, first: number, count: number): Promise<void> {
  const drafts = Array.from({ length: count }, (_, place) => ({ id: `acme/skill-${first + place}`, contentHash: 'a' }))
  const { head } = await changes.position()
  await changes.append({ onto: head, changes: drafts, watermark: null, complete: true, at: new Date() })
}

test('an empty catalog has one part', async () => {
  const bench = await openJobBench()
  await bench.run(logChanges)

  expect(await bench.run(divideSitemap)).toEqual({ skills: 0, parts: 1 })
  expect(await bench.catalog.readState(stateKeys.sitemap)).toEqual({ starts: [0] })
})

test('divides nothing before the change log is complete, nor while it lacks a large import', async () => {
  const bench = await openJobBench()
  const waiting = { waitingFor: 'log-changes' }
  await bench.catalog.put('skills', manySkills(1_200))

  expect(await bench.run(divideSitemap)).toEqual(waiting)
  expect(await bench.catalog.readState(stateKeys.sitemap)).toBeNull()

  await bench.run(logChanges)
  expect(await bench.run(divideSitemap)).toEqual({ skills: 1_200, parts: 1 })

  await bench.catalog.put('skills', manySkills(skillsPerPart + 1))
  expect(await bench.run(divideSitemap)).toEqual(waiting)

  await bench.run(logChanges)
  expect(await bench.run(divideSitemap)).toEqual({ skills: skillsPerPart + 1, parts: 2 })
})

test('a part begins behind the last skill of the one before; removals count for nothing', async () => {
  const bench = await openJobBench()
  await log(bench, 0, skillsPerPart - 1)
  const { head } = await bench.changes.position()
  await bench.changes.append({
    onto: head,
    changes: [{ id: 'acme/gone', contentHash: null }],
    watermark: null,
    complete: true,
    at: new Date(),
  })
  await log(bench, skillsPerPart - 1, 3)

  expect(await bench.run(divideSitemap)).toEqual({ skills: skillsPerPart + 2, parts: 2 })
  expect(await bench.run(divideSitemap)).toEqual({ skills: skillsPerPart + 2, parts: 2 })

  const state = await bench.catalog.readState<{ starts: number[] }>(stateKeys.sitemap)
  const behind = await bench.changes.after(state?.starts[1] ?? 0, 10)
  expect(behind.changes.map(({ id }) => id)).toEqual([`acme/skill-${skillsPerPart}`, `acme/skill-${skillsPerPart + 1}`])
})
