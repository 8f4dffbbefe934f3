import { EventEmitter, once } from 'node:events'
import { describe, expect, test } from '@jest/globals'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { unavailable } from '../../shared/runtime/errors.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aModel } from '../support/a-model.js'
import { aDocument, aSkill, makeSkills } from '../support/factories.js'
import { foundNames } from '../support/found-skills.js'
import { type JobBench, openFilledBench, openIndexBench, openJobBench, refusing } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

describe('sync-index', () => {
  test('skills of the catalog can be found; a second run finds no work', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ name: 'pdf-reader' }), aSkill({ name: 'mail-sorter' })])

    const first = await bench.run(syncIndex)
    const second = await bench.run(syncIndex)

    expect(first).toEqual({ published: 2, removed: 0, rejected: 0 })
    expect(second).toEqual({ published: 0, removed: 0, rejected: 0 })
    expect(await foundNames(bench.index, 'pdf')).toEqual(['pdf-reader'])
  })

  test('changed, hidden, removed and restored skills are so in the index', async () => {
    const bench = await openJobBench()
    const [changed, hidden, removed, back] = ['changed', 'hidden', 'removed', 'back'].map((repo) =>
      aSkill({ repo, description: 'old words' }),
    )
    await bench.catalog.put(
      'skills',
      [changed, hidden, removed, back].filter((skill) => skill !== undefined),
    )
    await bench.catalog.remove('skills', ['acme/back'])
    await bench.run(syncIndex)

    await bench.catalog.put('skills', [
      aSkill({ repo: 'changed', description: 'new words' }),
      aSkill({ repo: 'hidden', state: 'hidden' }),
      aSkill({ repo: 'back', description: 'new words' }),
    ])
    await bench.catalog.remove('skills', ['acme/removed'])
    await bench.run(syncIndex)

    expect(await foundNames(bench.index, 'old')).toEqual([])
    expect((await foundNames(bench.index, 'new')).sort()).toEqual(['back', 'changed'])
    expect(await bench.index.status()).toMatchObject({ documents: 2 })
  })

  test('the position stays when the index fails, and the next run repeats that batch', async () => {
    const bench = await openFilledBench()
    await bench.catalog.put('skills', makeSkills(1_500))
    let batches = 0
    const failing = withOverrides(bench.index, {
      documentsPerApply: 1_000,
      apply: (changes, target, lock) => {
        batches += 1
        return batches === 2
          ? Promise.reject(new Error('the index is unreachable'))
          : bench.index.apply(changes, target, lock)
      },
    })

    await expect(bench.run(syncIndex, { index: failing })).rejects.toThrow('the index is unreachable')
    const position = Number(await bench.catalog.readState(stateKeys.syncPosition))
    const repeated = await bench.run(syncIndex)

    expect((await bench.changes.after(position, 2_000)).changes).toHaveLength(500)
    expect(repeated).toMatchObject({ published: 500 })
    expect(await bench.index.status()).toMatchObject({ documents: 1_501 })
  })

  test('the next changes are read while the index takes the ones before, which it takes one after the other', async () => {
    const bench = await openFilledBench()
    await bench.catalog.put('skills', makeSkills(2_500))
    const steps: string[] = []
    const reads = new EventEmitter()
    const catalog = withOverrides(bench.catalog, {
      findSkills: async (ids) => {
        steps.push(`read ${ids.length}`)
        reads.emit('read')
        return bench.catalog.findSkills(ids)
      },
    })
    const index = withOverrides(bench.index, {
      documentsPerApply: 1_000,
      apply: async (changes, target, lock) => {
        steps.push(`apply ${changes.publish.length}`)
        if (changes.publish.length === 1_000) {
          await once(reads, 'read')
        }
        const outcome = await bench.index.apply(changes, target, lock)
        steps.push('applied')
        return outcome
      },
    })

    expect(await bench.run(syncIndex, { catalog, index })).toMatchObject({ published: 2_500 })
    expect(steps).toEqual([
      ...['read 1000', 'apply 1000', 'read 1000', 'applied'],
      ...['apply 1000', 'read 500', 'applied', 'apply 500', 'applied'],
    ])
  })

  test('a skill that the index rejects is a dead letter until the index accepts it, or it is removed', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'odd', name: 'kumquat' }), aSkill({ repo: 'good' })])
    const refused = () => bench.run(syncIndex, { index: refusing(bench.index, 'acme/odd') })

    expect(await refused()).toEqual({ published: 1, removed: 0, rejected: 1 })
    expect(bench.findings).toEqual([{ kind: 'rejected', id: 'acme/odd', reason: 'too odd' }])
    expect(await bench.catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/odd', source: 'index' }])

    await bench.catalog.put('skills', [aSkill({ repo: 'odd', name: 'rhubarb' })])
    await bench.run(syncIndex)
    expect(await foundNames(bench.index, 'rhubarb')).toEqual(['rhubarb'])
    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])

    await bench.catalog.put('skills', [aSkill({ repo: 'odd', name: 'kumquat' })])
    await refused()
    await bench.catalog.remove('skills', ['acme/odd'])
    await bench.run(syncIndex)
    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('has work while its position is not the head of the log', async () => {
    const bench = await openJobBench()
    const hasWork = () => syncIndex.hasWork?.(bench)
    expect(await hasWork()).toBe(false)

    await bench.catalog.put('skills', [aSkill({ repo: 'tool' }), aSkill({ repo: 'secret', state: 'hidden' })])
    expect(await hasWork()).toBe(true)
    await bench.run(syncIndex)
    expect(await hasWork()).toBe(false)

    await bench.catalog.put('skills', [aSkill({ repo: 'secret', state: 'hidden', stars: 5 })])
    expect(await hasWork()).toBe(false)
    await bench.catalog.remove('skills', ['acme/tool'])
    expect(await hasWork()).toBe(true)
  })

  test('an aborted run ends between two batches and keeps its progress', async () => {
    const bench = await openFilledBench()
    await bench.catalog.put('skills', makeSkills(1_500))
    const stop = new AbortController()
    const stopping = withOverrides(bench.index, {
      documentsPerApply: 1_000,
      apply: async (changes, target, lock) => {
        const outcome = await bench.index.apply(changes, target, lock)
        stop.abort(new Error('the service ends'))
        return outcome
      },
    })

    await expect(bench.run(syncIndex, { index: stopping, signal: stop.signal })).rejects.toThrow('the service ends')

    expect(await bench.index.status()).toMatchObject({ documents: 1_001 })
    expect(await bench.run(syncIndex)).toMatchObject({ published: 500 })
  })
})

describe('sync-index builds the index', () => {
  test('an empty index that lacks more than a batch is built', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', makeSkills(1_500))
    const index = withOverrides(bench.index, { documentsPerApply: 1_000 })

    expect(await bench.run(syncIndex, { index })).toEqual({
      rebuilt: true,
      documents: 1_500,
      rejected: 0,
      resumed: false,
    })
    expect(await bench.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
  })

  test('without its embedder, an empty index takes skills by their words', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', makeSkills(1_500))
    const index = withOverrides(bench.index, { documentsPerApply: 1_000 })
    const embedder = aModel()
    embedder.isDown = true

    expect(await bench.run(syncIndex, { index, embedder })).toMatchObject({ published: 1_500 })
  })

  const hidden = aSkill({ repo: 'hidden', state: 'hidden' })
  const indexHidden = ({ index }: JobBench) =>
    index.apply({ publish: [aDocument({ repo: 'hidden' })], remove: [] }, 'live', aLock())

  test.each<[string, (bench: JobBench) => Promise<unknown>]>([
    [
      'whose position lies before removals that were dropped',
      async ({ run, catalog, changes }) => {
        await catalog.put('skills', [aSkill({ repo: 'gone' })])
        await run(syncIndex)
        await catalog.remove('skills', ['acme/gone'])
        await changes.prune(new Date(Date.now() + 60_000))
      },
    ],
    [
      'that is not empty, where the log has begun again since',
      async (bench) => {
        await bench.run(syncIndex)
        await bench.catalog.put('skills', [hidden])
        await indexHidden(bench)
        await bench.catalog.writeState(stateKeys.syncPosition, 0)
      },
    ],
    [
      'without a position, as its skills are not known',
      async (bench) => {
        await bench.catalog.put('skills', [hidden])
        await indexHidden(bench)
      },
    ],
  ])('an index %s is built again', async (_which, make) => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'kept' })])
    await make(bench)

    expect(await bench.run(syncIndex)).toMatchObject({ rebuilt: true, documents: 1 })
    expect((await bench.index.list(null, 10, 'live')).map(({ id }) => id)).toEqual(['acme/kept'])
    expect(await bench.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
  })

  test('what is hidden while an index of other settings is built again is gone from the live one at once', async () => {
    const bench = await openFilledBench()
    const others = makeSkills(1_000)
    await bench.catalog.put('skills', others)
    const listed = async () => (await bench.index.list(null, 2_000, 'live')).map(({ id }) => id)
    let listedMeanwhile: string[] | null = null
    const outdated = withOverrides(bench.index, {
      documentsPerApply: 400,
      status: async () => ({ documents: 1, settings: 'of an older version' }),
      swap: async (lock) => {
        listedMeanwhile = await listed()
        await bench.index.swap(lock)
      },
    })
    const hiding = withOverrides(bench.catalog, {
      scanForIndex: async (after, limit) => {
        const page = await bench.catalog.scanForIndex(after, limit)
        await bench.catalog.put('skills', [aSkill({ repo: 'first', state: 'hidden' })])
        return page
      },
    })
    expect(await listed()).toEqual(['acme/first'])

    await bench.run(syncIndex, { index: outdated, catalog: hiding })

    expect(listedMeanwhile).toEqual([])
    expect(await listed()).toHaveLength(others.length)
  })

  test('the index of another catalog stays; one that has had some of its skills builds it again', async () => {
    const bench = await openIndexBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'first' })])
    await bench.run(syncIndex)
    const { catalog, changes } = await openJobBench()
    const other = { catalog, changes }
    await expect(bench.run(syncIndex, other)).rejects.toMatchObject({ code: 'index_of_another_catalog' })
    await catalog.put('skills', [aSkill({ repo: 'other' })])
    await expect(bench.run(syncIndex, other)).rejects.toMatchObject({ code: 'index_of_another_catalog' })
    expect(await bench.index.status()).toMatchObject({ documents: 1 })

    await catalog.put('skills', [aSkill({ repo: 'first' })])
    await catalog.remove('skills', ['acme/first'])
    expect(await bench.run(syncIndex, other)).toMatchObject({ rebuilt: true, documents: 1 })
    expect((await bench.index.list(null, 10, 'live')).map(({ id }) => id)).toEqual(['acme/other'])
  })

  test('an index that cannot be listed is built again only where this catalog has updated it', async () => {
    const bench = await openFilledBench()
    const unlistable = withOverrides(bench.index, {
      status: async () => ({ documents: 1, settings: 'of an older version' }),
      list: (after, limit, target) =>
        target === 'live'
          ? Promise.reject(unavailable('search_unavailable', 'it cannot sort by id', 1))
          : bench.index.list(after, limit, target),
    })
    const { catalog, changes } = await openJobBench()
    await catalog.put('skills', [aSkill({ repo: 'first' })])

    const ofAnother = expect(bench.run(syncIndex, { catalog, changes, index: unlistable }))
    await ofAnother.rejects.toMatchObject({ code: 'index_of_another_catalog' })
    expect(await bench.run(syncIndex, { index: unlistable })).toMatchObject({ rebuilt: true })
  })

  test('a sync that would build the index during a rebuild has failed', async () => {
    const bench = await openJobBench()
    const outdated = withOverrides(bench.index, { status: async () => ({ documents: 0, settings: null }) })
    await bench.catalog.lock('rebuild-index')

    await expect(bench.run(syncIndex, { index: outdated })).rejects.toMatchObject({ code: 'job_running' })
  })
})
