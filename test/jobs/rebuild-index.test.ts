import { describe, expect, test } from '@jest/globals'
import { rebuildIndex, resumeRebuilds } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { JobStatus } from '../../shared/ports/job-scheduler.js'
import { settingsFingerprint } from '../../shared/search-settings.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aSkill, makeSkills } from '../support/factories.js'
import { intercepted, type JobBench, openJobBench, refusing } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

describe('rebuild-index', () => {
  test.each([
    ['without a position', { step: 'replay', watermark: '2' }],
    ['by an id', { step: 'scan', position: 0, dimensions: null }],
  ])('starts again where an earlier version stored its progress %s', async (_, progress) => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'one' }), aSkill({ repo: 'two' })])
    await bench.index.createNext(aLock())
    const stored = { settings: settingsFingerprint(null), scannedTo: 'acme/two' }
    await bench.catalog.writeState(stateKeys.rebuild, { ...stored, ...progress })

    expect(await bench.run(rebuildIndex)).toEqual({ documents: 2, rejected: 0, resumed: false })

    expect(await liveIds(bench)).toEqual(['acme/one', 'acme/two'])
  })

  test('is requested again where it was interrupted, also when the catalog answers late', async () => {
    const { catalog, replicas } = await openJobBench()
    const requested: string[] = []
    const request = async (name: string) => void requested.push(name)
    let failures = 2
    const late = withOverrides(catalog, {
      readState: async (key: string) => {
        failures -= 1
        if (failures >= 0) {
          throw new Error('no answer')
        }
        return catalog.readState(key)
      },
    })

    const rows: JobStatus[] = []
    const scheduler = { request, status: async () => rows }
    await resumeRebuilds({ catalog: late, replicas }, scheduler, 1)
    expect(requested).toEqual([])

    await catalog.writeState(stateKeys.rebuild, { step: 'wanted' })
    failures = 2
    await resumeRebuilds({ catalog: late, replicas }, scheduler, 1)
    expect(requested).toEqual(['rebuild-index'])
    expect(failures).toBeLessThan(0)

    // A run that its queue still has, or another process runs, continues by itself.
    const row = { name: 'rebuild-index', everySeconds: null, failed: 0, lastRun: null, nextRunAt: null }
    for (const state of [
      { running: true, waiting: 0 },
      { running: false, waiting: 1 },
    ]) {
      rows.splice(0, 1, { ...row, ...state })
      await resumeRebuilds({ catalog, replicas }, scheduler, 1)
    }
    expect(requested).toEqual(['rebuild-index'])
  })

  test('changes during the run are in the new index', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' }), aSkill({ repo: 'removed' })])
    const changing = withOverrides(bench.index, {
      apply: async (changes, target, lock) => {
        const outcome = await bench.index.apply(changes, target, lock)
        await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' }), aSkill({ repo: 'added' })])
        await bench.catalog.remove('skills', ['acme/removed'])
        return outcome
      },
    })

    await bench.run(rebuildIndex, { index: changing })

    expect(await liveIds(bench)).toEqual(['acme/added', 'acme/changed'])
    expect(await bench.run(reconcile)).toMatchObject({ missing: 0, extra: 0, different: 0 })
  })

  test('changes during the comparison are no differences, and are in the new index', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' })])
    const changing = withOverrides(bench.index, {
      list: async (afterId, limit, target) => {
        await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' }), aSkill({ repo: 'added' })])
        return bench.index.list(afterId, limit, target)
      },
    })

    await bench.run(rebuildIndex, { index: changing })

    expect(await bench.run(reconcile)).toMatchObject({ compared: 2, missing: 0, extra: 0, different: 0 })
  })

  test('a copy that differs from the catalog is abandoned, and the live index stays', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'one' })])
    await bench.run(syncIndex)
    await bench.catalog.put('skills', [aSkill({ repo: 'two' })])
    const losing = withOverrides(bench.index, {
      apply: (changes, target, lock) =>
        bench.index.apply({ ...changes, publish: changes.publish.slice(1) }, target, lock),
    })

    await expect(bench.run(rebuildIndex, { index: losing })).rejects.toMatchObject({ code: 'rebuild_not_verified' })

    expect(await liveIds(bench)).toEqual(['acme/one'])
    expect(await bench.run(rebuildIndex)).toMatchObject({ documents: 2, resumed: false })
  })

  test('a skill that the index rejects is a dead letter, and does not affect the others', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'good' }), aSkill({ repo: 'refused' })])

    const result = await bench.run(rebuildIndex, { index: refusing(bench.index, 'acme/refused') })

    expect(result).toMatchObject({ documents: 1, rejected: 1 })
    expect(await liveIds(bench)).toEqual(['acme/good'])
    expect(bench.findings).toEqual([{ kind: 'rejected', id: 'acme/refused', reason: 'too odd' }])
    expect(await bench.catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/refused', reason: 'too odd' }])
  })

  test('waits for a running sync before it swaps', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'one' })])
    const syncing = await bench.catalog.lock('sync-index')
    const order: string[] = []
    const watched = withOverrides(bench.catalog, {
      lock: async (name) => {
        const lock = await bench.catalog.lock(name)
        if (name === 'sync-index' && lock === null && order.length === 0) {
          order.push('refused')
          await syncing?.release()
        }
        return lock
      },
    })
    const swapping = withOverrides(bench.index, {
      swap: async (lock) => {
        order.push('swap')
        await bench.index.swap(lock)
      },
    })

    await bench.run(rebuildIndex, { catalog: watched, index: swapping })

    expect(order).toEqual(['refused', 'swap'])
  })

  test('continues the scan of an interrupted run', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', makeSkills(2_500))
    const small = withOverrides(bench.index, { documentsPerApply: 1_000 })
    await expect(bench.run(rebuildIndex, { index: failingFrom(small, 'apply', 3) })).rejects.toThrow('killed')
    const indexed: number[] = []
    const counting = withOverrides(bench.index, {
      apply: (changes, target, lock) => {
        indexed.push(changes.publish.length)
        return bench.index.apply(changes, target, lock)
      },
    })

    const result = await bench.run(rebuildIndex, { index: counting })

    expect(result).toMatchObject({ documents: 2_500, resumed: true })
    expect(indexed).toEqual([500])
  })

  test('reads ahead while pages are indexed, and stores no progress beyond the first unconfirmed one', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', makeSkills(4_500))
    const began: number[] = []
    let thirdBegan: () => void = () => undefined
    const third = new Promise<void>((resolve) => {
      thirdBegan = resolve
    })
    const losingTheFirst = withOverrides(bench.index, {
      appliesAtOnce: 3,
      documentsPerApply: 1_000,
      apply: async (changes, target, lock) => {
        began.push(changes.publish.length)
        if (began.length === 3) {
          thirdBegan()
        }
        if (began.length === 1) {
          await third
          throw new Error('killed')
        }
        return bench.index.apply(changes, target, lock)
      },
    })

    await expect(bench.run(rebuildIndex, { index: losingTheFirst })).rejects.toThrow('killed')

    expect(began).toEqual([1_000, 1_000, 1_000])
    expect(await bench.catalog.readState(stateKeys.rebuild)).toMatchObject({ step: 'scan', scannedTo: null })
    expect(await bench.run(rebuildIndex)).toMatchObject({ documents: 4_500, resumed: true })
  })

  test('begins again when the settings have changed since it was interrupted', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'one' })])
    await expect(bench.run(rebuildIndex, { index: failingFrom(bench.index, 'swap', 1) })).rejects.toThrow('killed')
    const kept = await bench.catalog.readState<object>(stateKeys.rebuild)
    await bench.catalog.writeState(stateKeys.rebuild, { ...kept, settings: 'of an older version' })

    expect(await bench.run(rebuildIndex)).toMatchObject({ documents: 1, resumed: false })
  })
})

function failingFrom<Port extends object>(port: Port, method: keyof Port, from: number): Port {
  let calls = 0
  return intercepted(port, (name, call) => async (...args) => {
    calls += name === method ? 1 : 0
    if (name === method && calls >= from) {
      throw new Error('killed')
    }
    return call(...args)
  })
}

const liveIds = async (bench: JobBench): Promise<string[]> =>
  (await bench.index.list(null, 1_000, 'live')).map(({ id }) => id)
