import { expect, test } from '@jest/globals'
import { compareStretches, digestOf } from '../../services/indexer/copied-stretches.js'
import type { JobContext } from '../../services/indexer/job.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'

const documents = ['a', 'b', 'c', 'd'].map((repo) => {
  const skill = aSkill({ owner: 'acme', repo })
  return { id: skill.id, contentHash: `of ${repo}`, skill }
})

/** An index that holds the first three, and stretches of two documents each as they were copied. */
async function compare(copied: typeof documents) {
  const { index } = await openJobBench()
  await index.apply({ publish: documents.slice(0, 3), remove: [] })
  const stretches = [
    { afterId: null, lastId: 'acme/b', digest: digestOf(copied.slice(0, 2)), rejected: 0 },
    { afterId: 'acme/b', lastId: 'acme/d', digest: digestOf(copied.slice(2)), rejected: 0 },
    { afterId: 'acme/d', lastId: null, digest: digestOf([]), rejected: 0 },
  ]
  const context = { index, signal: new AbortController().signal } as JobContext
  const same: boolean[] = []
  for await (const stretch of compareStretches(context, 'live', stretches)) {
    same.push(stretch.same)
  }
  return same
}

test('an index that holds what was copied is the same in every stretch', async () => {
  expect(await compare(documents.slice(0, 3))).toEqual([true, true, true])
})

test('what is missing, and what has other content, is found in its stretch', async () => {
  const other = documents.map((each) => (each.id === 'acme/a' ? { ...each, contentHash: 'other' } : each))

  expect(await compare(documents)).toEqual([true, false, true])
  expect(await compare(other.slice(0, 3))).toEqual([false, true, true])
})

test('what nobody has copied is found behind the last', async () => {
  const { index } = await openJobBench()
  await index.apply({ publish: documents, remove: [] })
  const context = { index, signal: new AbortController().signal } as JobContext
  const copied = [
    { afterId: null, lastId: 'acme/b', digest: digestOf(documents.slice(0, 2)), rejected: 0 },
    { afterId: 'acme/b', lastId: null, digest: digestOf([]), rejected: 0 },
  ]

  const same: boolean[] = []
  for await (const stretch of compareStretches(context, 'live', copied)) {
    same.push(stretch.same)
  }
  expect(same).toEqual([true, false])
})
