import { expect, test } from '@jest/globals'
import { mendLateWrites } from '../../services/indexer/jobs/mend-late-writes.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { overlaid } from '../../shared/overlaid.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aDocument, aQuery, aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'

const openSynced = async () => {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [aSkill({ repo: 'one', stars: 2 }), aSkill({ repo: 'two' })])
  await bench.run(syncSkills)
  return bench
}

test('without late writes nothing is compared', async () => {
  const bench = await openSynced()

  expect(await bench.run(mendLateWrites)).toEqual({ lateWrites: 0 })
})

test('what a late write left is mended, and how far was looked is noted', async () => {
  const bench = await openSynced()
  await bench.index.apply({ publish: [aDocument({ repo: 'one', stars: 1 })], remove: ['acme/two'] })
  const index = overlaid(bench.index, { lateWrites: async () => ({ count: 1, position: 'behind it' }) })

  expect(await bench.run(mendLateWrites, { index })).toMatchObject({
    lateWrites: 1,
    different: 1,
    missing: 1,
    mended: 2,
  })

  expect(await bench.catalog.readState(stateKeys.lateWrites)).toBe('behind it')
  const { hits } = await bench.index.search(aQuery('one'))
  expect(hits[0]?.skill.stars).toBe(2)
})

test('where it could not be mended, the next run looks again', async () => {
  const bench = await openSynced()
  const looked: (string | null)[] = []
  const index = overlaid(bench.index, {
    lateWrites: async (position) => {
      looked.push(position)
      return { count: 1, position: 'behind it' }
    },
    list: () => Promise.reject(new Error('away')),
  })

  await expect(bench.run(mendLateWrites, { index })).rejects.toThrow('away')
  await expect(bench.run(mendLateWrites, { index })).rejects.toThrow('away')

  expect(looked).toEqual([null, null])
})
