import { describe, expect, test } from '@jest/globals'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { toSearchDocuments } from '../../services/indexer/to-search-document.js'
import { overlaid } from '../../shared/overlaid.js'
import { aDocument, aSkill } from '../support/factories.js'
import { openJobBench, refusing } from '../support/job-bench.js'

const noDifference = { missing: 0, extra: 0, different: 0, rejected: 0, pending: 0, mended: 0 }

describe('verify-index', () => {
  test('an index that holds what the catalog holds has no difference, asked twice', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill(), aSkill(), aSkill({ state: 'hidden' })])
    await bench.run(syncSkills)

    expect(await bench.run(verifyIndex)).toEqual({ compared: 2, ...noDifference })
    expect(await bench.run(verifyIndex)).toEqual({ compared: 2, ...noDifference })
    expect(bench.findings).toEqual([])
  })

  test('an empty catalog and an empty index are equal', async () => {
    const bench = await openJobBench()

    expect(await bench.run(verifyIndex)).toEqual({ compared: 0, ...noDifference })
  })

  test('every difference is reported and mended', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'skills',
      ['a-missing', 'b-same', 'c-different', 'z-missing'].map((repo) => aSkill({ repo })),
    )
    await bench.run(syncSkills)
    const { publish } = toSearchDocuments(
      [aSkill({ repo: 'c-different', name: 'other' }), aSkill({ repo: 'd-extra' })].map((stored) => ({
        id: stored.id,
        stored,
      })),
    )
    await bench.index.apply({ publish, remove: ['acme/a-missing', 'acme/z-missing'] })

    const counts = await bench.run(verifyIndex)

    expect(counts).toEqual({ ...noDifference, compared: 5, missing: 2, extra: 1, different: 1, mended: 4 })
    expect(bench.findings).toEqual([
      { kind: 'missing', id: 'acme/a-missing', reason: null },
      { kind: 'different', id: 'acme/c-different', reason: null },
      { kind: 'extra', id: 'acme/d-extra', reason: null },
      { kind: 'missing', id: 'acme/z-missing', reason: null },
    ])
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 4 })
  })

  test('differences are found across pages', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'skills',
      Array.from({ length: 2_100 }, (_, place) => aSkill({ repo: `many-${place}` })),
    )
    await bench.run(syncSkills)
    const removed = Array.from({ length: 1_050 }, (_, place) => `acme/many-${place * 2}`)
    await bench.index.apply({ publish: [], remove: removed })

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2_100, missing: 1_050, mended: 1_050 })
    expect(bench.findings.map(({ id }) => id).sort()).toEqual(removed.sort())
  })

  test('what the next sync will bring is pending, not a difference', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' }), aSkill({ repo: 'removed' })])
    await bench.run(syncSkills)
    await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' }), aSkill({ repo: 'added' })])
    await bench.catalog.remove('skills', ['acme/removed'])

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 3, pending: 3 })

    await bench.run(syncSkills)
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2 })
  })

  test('what changes between the two looks is pending, not a difference', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'changed' })])
    await bench.run(syncSkills)
    const syncedMeanwhile = overlaid(bench.index, {
      list: async (afterId, limit, target) => {
        await bench.catalog.put('skills', [aSkill({ repo: 'changed', name: 'new' })])
        await bench.run(syncSkills)
        return bench.index.list(afterId, limit, target)
      },
    })

    expect(await bench.run(verifyIndex, { index: syncedMeanwhile })).toEqual({
      ...noDifference,
      compared: 1,
      pending: 1,
    })
  })

  test('what the catalog hides or has removed is extra in the index', async () => {
    const bench = await openJobBench()
    const repos = ['hidden', 'removed']
    await bench.catalog.put('skills', [aSkill({ repo: 'hidden', state: 'hidden' }), aSkill({ repo: 'removed' })])
    await bench.catalog.remove('skills', ['acme/removed'])
    await bench.run(syncSkills)
    await bench.index.apply({ publish: repos.map((repo) => aDocument({ repo })), remove: [] })

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2, extra: 2, mended: 2 })
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 0 })
  })

  test('what was deleted without a trace between the two looks is not missing, and not of other content', async () => {
    const bench = await openJobBench()
    const deleted = ['a-never-indexed', 'b-changed-before'].map((repo) => aSkill({ repo, name: 'new' }))
    await bench.index.apply({ publish: [aDocument({ repo: 'b-changed-before' })], remove: [] })
    const catalog = overlaid(bench.catalog, {
      scanSkills: async (afterId) => (afterId === null ? deleted.map((stored) => ({ id: stored.id, stored })) : []),
    })

    expect(await bench.run(verifyIndex, { catalog })).toEqual({ ...noDifference, compared: 2, extra: 1, mended: 1 })
    expect(bench.findings).toEqual([{ kind: 'extra', id: 'acme/b-changed-before', reason: null }])
  })

  test('a poisoned document is named, and right to be absent', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill(), aSkill({ repo: 'poisoned', name: '' })])
    await bench.run(syncSkills)
    bench.findings.length = 0

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2, rejected: 1 })
    expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/poisoned' }])
  })

  test('a poisoned document that the index still holds is an extra one', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'poisoned', name: '' })])
    await bench.run(syncSkills)
    const good = aSkill({ repo: 'poisoned' })
    await bench.index.apply(toSearchDocuments([{ id: good.id, stored: good }]))

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 1, rejected: 1, extra: 1 })
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 1, rejected: 1 })
  })

  test('ids beyond ASCII, which others may have stored, keep the two walks in step', async () => {
    const bench = await openJobBench()
    const strange = ['acme/\u{ff5e}', 'acme/\u{1f600}', 'acme/é'].map((id) => ({ ...aSkill({ repo: 'x' }), id }))
    await bench.catalog.put('skills', [...strange, aSkill({ repo: 'last' })])
    await bench.run(syncSkills)

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 4, rejected: 3 })
  })

  test('a skill that the index refuses is rejected, not missing, until the index takes it', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'good' }), aSkill({ repo: 'refused' })])
    const index = refusing(bench.index, 'acme/refused')

    expect(await bench.run(syncSkills, { index })).toMatchObject({ published: 1, rejected: 1 })

    expect(await bench.catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/refused', reason: 'too odd' }])
    bench.findings.length = 0
    expect(await bench.run(verifyIndex, { index })).toEqual({ ...noDifference, compared: 2, rejected: 1 })
    expect(bench.findings).toEqual([{ kind: 'rejected', id: 'acme/refused', reason: 'too odd' }])

    expect(await bench.run(verifyIndex)).toMatchObject({ missing: 0, rejected: 1, mended: 1 })
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2 })
    expect(await bench.catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('dead letters of what is stored no more are dropped, all others kept', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'fine' }), aSkill({ repo: 'poisoned', name: '' })])
    await bench.run(syncSkills)
    const gone = Array.from({ length: 2_100 }, (_, place) => `acme/gone-${place}`)
    const since = '2026-01-01T00:00:00.000Z'
    await bench.catalog.keepDeadLetters([...gone, 'zeta/gone'].map((id) => ({ id, reason: 'name: is missing', since })))

    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2, rejected: 1 })

    expect(await bench.catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/poisoned' }])
    expect(await bench.run(verifyIndex)).toEqual({ ...noDifference, compared: 2, rejected: 1 })
  })

  test('waits for a sync under way before it mends', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'lost' })])
    await bench.run(syncSkills)
    await bench.index.apply({ publish: [], remove: ['acme/lost'] })
    const syncing = await bench.catalog.lock('sync-skills')
    let refused = false
    const watched = overlaid(bench.catalog, {
      lock: async (name) => {
        const lock = await bench.catalog.lock(name)
        if (name === 'sync-skills' && lock === null && !refused) {
          refused = true
          await syncing?.release()
        }
        return lock
      },
    })

    expect(await bench.run(verifyIndex, { catalog: watched })).toMatchObject({ missing: 1, mended: 1 })
    expect(refused).toBe(true)
  })
})
