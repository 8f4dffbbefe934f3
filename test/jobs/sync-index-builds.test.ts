import { describe, expect, test } from '@jest/globals'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aModel } from '../support/a-model.js'
import { aDocument, aSkill, makeSkills } from '../support/factories.js'
import { foundNames } from '../support/found-names.js'
import { type JobBench, openFilledBench, openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

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

  test('an index of other settings is built again', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ name: 'rebuilt' })])
    let asked = 0
    const outdated = withOverrides(bench.index, {
      status: async () => {
        asked += 1
        return asked === 1 ? { documents: 0, settings: 'of an older version' } : bench.index.status()
      },
    })

    const result = await bench.run(syncIndex, { index: outdated })

    expect(result).toEqual({ rebuilt: true, documents: 1, rejected: 0, resumed: false })
    expect(await foundNames(bench.index, 'rebuilt')).toEqual(['rebuilt'])
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

  test('a sync that would build the index during a rebuild has failed', async () => {
    const bench = await openJobBench()
    const outdated = withOverrides(bench.index, { status: async () => ({ documents: 0, settings: null }) })
    const rebuilding = await bench.catalog.lock('rebuild-index')

    await expect(bench.run(syncIndex, { index: outdated })).rejects.toMatchObject({ code: 'job_running' })

    await rebuilding?.release()
  })
})
