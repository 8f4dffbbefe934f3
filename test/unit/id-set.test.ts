import { expect, test } from '@jest/globals'
import { IdSet } from '../../services/indexer/import/held-records.js'

test('has exactly the added ids', () => {
  const ids = new IdSet()
  const added = Array.from({ length: 20_000 }, (_, at) => `acme/skill-${at}`)

  for (const id of [...added, ...added]) {
    ids.add(id)
  }

  expect(added.filter((id) => !ids.has(id))).toEqual([])
  expect(added.filter((id) => ids.has(`${id}-other`))).toEqual([])
})
