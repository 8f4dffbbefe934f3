import { describe, expect, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { intercepted, type JobBench, openJobBench } from '../support/job-bench.js'

describe('rebuild-index', () => {
  test('killed at any call, before it or after it: the live index is whole, and the next run completes', async () => {
    const calls = await countCalls()
    expect(calls).toBeGreaterThan(15)

    for (let call = 1; call <= calls; call += 1) {
      for (const when of ['before', 'after'] as const) {
        const bench = await outdatedIndex()

        await expect(bench.run(rebuildIndex, killedAt(bench, call, when))).rejects.toThrow('killed')

        const survived = await liveIds(bench)
        expect([['acme/old'], ['acme/new', 'acme/newer']]).toContainEqual(survived)
        await bench.run(syncIndex)
        await bench.catalog.put('skills', [aSkill({ repo: 'newest' })])
        await bench.run(rebuildIndex)
        expect(await bench.catalog.readState(stateKeys.rebuild)).toBeNull()
        await bench.run(syncIndex)
        expect(await liveIds(bench)).toEqual(['acme/new', 'acme/newer', 'acme/newest'])
        expect(await bench.run(reconcile)).toMatchObject({
          compared: 3,
          missing: 0,
          extra: 0,
          different: 0,
        })
      }
    }
  })
})

/** A live index with an earlier state of the catalog. */
async function outdatedIndex(): Promise<JobBench> {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [aSkill({ repo: 'old' })])
  await bench.run(syncIndex)
  await bench.catalog.remove('skills', ['acme/old'])
  await bench.catalog.put('skills', [aSkill({ repo: 'new' }), aSkill({ repo: 'newer' })])
  return bench
}

async function countCalls(): Promise<number> {
  const bench = await outdatedIndex()
  let calls = 0
  const counting = <Port extends object>(port: Port): Port =>
    intercepted(port, (_name, call) => (...args) => {
      calls += 1
      return call(...args)
    })
  const { run } = rebuildIndex
  await bench.run({
    ...rebuildIndex,
    run: (context) => run({ ...context, catalog: counting(context.catalog), index: counting(context.index) }),
  })
  return calls
}

/** Both ports, whose `last`-th call is the last one that has an effect. */
function killedAt(bench: JobBench, last: number, when: 'before' | 'after'): Pick<JobBench, 'catalog' | 'index'> {
  let calls = 0
  const dying = <Port extends object>(port: Port): Port =>
    intercepted(port, (name, call) => async (...args) => {
      // The lock around the job is not the job's own call.
      const counts = !(name === 'lock' && args[0] === rebuildIndex.name)
      calls += counts ? 1 : 0
      if (counts && (calls > last || (calls === last && when === 'before'))) {
        throw new Error('killed')
      }
      const result = await call(...args)
      if (counts && calls === last) {
        await releaseIfLock(result)
        throw new Error('killed')
      }
      return result
    })
  return { catalog: dying(bench.catalog), index: dying(bench.index) }
}

/** As the operating system does for a process that was killed. */
async function releaseIfLock(result: unknown): Promise<void> {
  if (typeof result === 'object' && result !== null && 'release' in result && typeof result.release === 'function') {
    await result.release()
  }
}

const liveIds = async (bench: JobBench): Promise<string[]> =>
  (await bench.index.list(null, 1_000, 'live')).map(({ id }) => id)
