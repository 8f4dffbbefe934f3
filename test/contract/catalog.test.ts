import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { emptyInThreads } from '../support/shared-threads.js'
import { expectManyTotals, topicsOf } from './catalog/many-totals.js'
import { catalogContract } from './catalog.js'

// As services open it. Commands and jobs open the same without threads, see `openJobBench`.
catalogContract('sqlite in worker threads', async () => (await emptyInThreads()).catalog)

// `mongo-totals.test.ts` in `test/adapters` has the same for MongoDB, where that many records take long to write.
test('a total is exact without filters, with one, and where it is below 10,000', async () => {
  const { catalog } = await emptyInThreads()
  await catalog.put(
    'skills',
    Array.from({ length: 10_010 }, (_, n) => aSkill({ topics: topicsOf(n) })),
  )

  await expectManyTotals(catalog)
  const ofOne = await catalog.listSkills({ filters: { topics: ['a'] }, sort: 'stars', order: 'desc', limit: 1 })
  expect(ofOne).toMatchObject({ total: 10_010, totalIsLowerBound: false })
})
