import { describe, expect, test } from '@jest/globals'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { overlaid } from '../../shared/overlaid.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aQuery, aSkill } from '../support/factories.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'

describe('sync-skills', () => {
  test('what the catalog holds can be found; a second run finds nothing to do', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ name: 'pdf-reader' }), aSkill({ name: 'mail-sorter' })])

    const first = await bench.run(syncSkills)
    const second = await bench.run(syncSkills)

    expect(first).toEqual({ published: 2, removed: 0, rejected: 0 })
    expect(second).toEqual({ published: 0, removed: 0, rejected: 0 })
    expect(await found(bench, 'pdf')).toEqual(['pdf-reader'])
  })

  test('what was changed, hidden, removed and put back is so in the index', async () => {
    const bench = await openJobBench()
    const [changed, hidden, removed, back] = ['changed', 'hidden', 'removed', 'back'].map((repo) =>
      aSkill({ repo, description: 'old words' }),
    )
    await bench.catalog.put(
      'skills',
      [changed, hidden, removed, back].filter((skill) => skill !== undefined),
    )
    await bench.catalog.remove('skills', ['acme/back'])
    await bench.run(syncSkills)

    await bench.catalog.put('skills', [
      aSkill({ repo: 'changed', description: 'new words' }),
      aSkill({ repo: 'hidden', state: 'hidden' }),
      aSkill({ repo: 'back', description: 'new words' }),
    ])
    await bench.catalog.remove('skills', ['acme/removed'])
    await bench.run(syncSkills)

    expect(await found(bench, 'old')).toEqual([])
    expect((await found(bench, 'new')).sort()).toEqual(['back', 'changed'])
    expect(await bench.index.status()).toMatchObject({ documents: 2 })
  })

  test('more skills than one batch holds all arrive', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(2_345))

    const result = await bench.run(syncSkills)

    expect(result).toMatchObject({ published: 2_345 })
    expect(await bench.index.status()).toMatchObject({ documents: 2_345 })
  })

  test('the watermark stays when the index fails, and the next run repeats that stretch', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(1_500))
    let batches = 0
    const failing = overlaid(bench.index, {
      apply: (changes, target) => {
        batches += 1
        return batches === 2 ? Promise.reject(new Error('the index went away')) : bench.index.apply(changes, target)
      },
    })

    await expect(bench.run(syncSkills, { index: failing })).rejects.toThrow('the index went away')
    const watermark = await bench.catalog.readState<string>(stateKeys.syncWatermark)
    const repeated = await bench.run(syncSkills)

    expect((await bench.catalog.changesAfter(watermark, 2_000)).changes).toHaveLength(500)
    expect(repeated).toMatchObject({ published: 500 })
    expect(await bench.index.status()).toMatchObject({ documents: 1_500 })
  })

  test('a run that ends before the watermark is saved repeats its work without harm', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ name: 'once' })])
    const failing = overlaid(bench.catalog, {
      writeState: () => Promise.reject(new Error('killed')),
    })

    await expect(bench.run(syncSkills, { catalog: failing })).rejects.toThrow('killed')
    await bench.run(syncSkills)

    expect(await found(bench, 'once')).toEqual(['once'])
    expect(await bench.run(verifyIndex)).toMatchObject({ compared: 1, missing: 0, extra: 0, different: 0 })
  })

  test('a skill that becomes poisoned leaves the index, and comes back when it is mended', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'shaky', name: 'good' })])
    await bench.run(syncSkills)

    await bench.catalog.put('skills', [aSkill({ repo: 'shaky', name: '' })])
    await bench.run(syncSkills)
    expect(await found(bench, 'good')).toEqual([])
    expect(bench.findings).toEqual([{ kind: 'rejected', id: 'acme/shaky', reason: expect.stringContaining('name') }])

    await bench.catalog.put('skills', [aSkill({ repo: 'shaky', name: 'mended' })])
    await bench.run(syncSkills)
    expect(await found(bench, 'mended')).toEqual(['mended'])
    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('a dead letter is forgotten when its skill is removed', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'poisoned', name: '' })])
    await bench.run(syncSkills)

    await bench.catalog.remove('skills', ['acme/poisoned'])
    await bench.run(syncSkills)

    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('an index of other settings is built anew', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ name: 'rebuilt' })])
    let asked = 0
    const outdated = overlaid(bench.index, {
      status: async () => {
        asked += 1
        return asked === 1 ? { documents: 0, settings: 'of an older version' } : bench.index.status()
      },
    })

    const result = await bench.run(syncSkills, { index: outdated })

    expect(result).toEqual({ rebuilt: true, documents: 1, rejected: 0, resumed: false })
    expect(await found(bench, 'rebuilt')).toEqual(['rebuilt'])
    expect(await bench.run(syncSkills)).toEqual({ published: 0, removed: 0, rejected: 0 })
  })

  test('an index of other settings is left to a rebuild that is under way', async () => {
    const bench = await openJobBench()
    const outdated = overlaid(bench.index, { status: async () => ({ documents: 0, settings: null }) })
    const rebuilding = await bench.catalog.lock('rebuild-index')

    expect(await bench.run(syncSkills, { index: outdated })).toEqual({ waitingFor: 'rebuild-index' })

    await rebuilding?.release()
  })

  test('a run that is asked to stop ends between two batches and keeps what it has done', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(1_500))
    const stop = new AbortController()
    const stopping = overlaid(bench.index, {
      apply: async (changes, target) => {
        const outcome = await bench.index.apply(changes, target)
        stop.abort(new Error('the service ends'))
        return outcome
      },
    })

    await expect(bench.run(syncSkills, { index: stopping, signal: stop.signal })).rejects.toThrow('the service ends')

    expect(await bench.index.status()).toMatchObject({ documents: 1_000 })
    expect(await bench.run(syncSkills)).toMatchObject({ published: 500 })
  })
})

const manySkills = (count: number) => Array.from({ length: count }, (_, place) => aSkill({ repo: `many-${place}` }))

async function found(bench: JobBench, text: string): Promise<string[]> {
  const page = await bench.index.search(aQuery(text))
  return page.hits.map(({ skill }) => skill.name)
}
