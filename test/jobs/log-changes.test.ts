import { describe, expect, test } from '@jest/globals'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { verifyChanges } from '../../services/indexer/jobs/verify-changes.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { overlaid } from '../../shared/overlaid.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'

/** What the log says, in order: ids, with a minus for a removal. */
const told = async (changes: ChangeLog, since = 0) =>
  (await changes.after(since, 10_000)).changes.map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id))

describe('log-changes', () => {
  test('what is published is logged in the order of its changes; a second run finds nothing to do', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'b' }), aSkill({ repo: 'a' })])

    expect(await bench.run(logChanges)).toEqual({ published: 2, removed: 0 })
    expect(await bench.run(logChanges)).toEqual({ published: 0, removed: 0 })
    expect(await told(bench.changes)).toEqual(['acme/b', 'acme/a'])
  })

  test('what was changed, hidden, removed, spoilt and put back is told so, and the rest is not told again', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'skills',
      ['same', 'changed', 'hidden', 'removed', 'spoilt', 'back'].map((repo) => aSkill({ repo, description: 'old' })),
    )
    await bench.catalog.remove('skills', ['acme/back'])
    await bench.run(logChanges)
    const { head } = await bench.changes.position()

    await bench.catalog.put('skills', [
      aSkill({ repo: 'changed', description: 'new' }),
      aSkill({ repo: 'hidden', state: 'hidden' }),
      aSkill({ repo: 'spoilt', name: '' }),
      aSkill({ repo: 'back' }),
    ])
    await bench.catalog.remove('skills', ['acme/removed'])

    expect(await bench.run(logChanges)).toEqual({ published: 2, removed: 3 })
    expect(await told(bench.changes, head)).toEqual([
      'acme/changed',
      '-acme/hidden',
      '-acme/spoilt',
      'acme/back',
      '-acme/removed',
    ])
  })

  test('what was never published is not told of when it is hidden, removed or spoilt', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [
      aSkill({ repo: 'secret', state: 'hidden' }),
      aSkill({ repo: 'gone', state: 'removed', removedAt: '2026-01-01T00:00:00.000Z' }),
      aSkill({ repo: 'spoilt', name: '' }),
    ])

    await bench.run(logChanges)

    expect(await bench.changes.after(0, 10)).toMatchObject({ changes: [], complete: true })
  })

  test('a change that the public does not see is none', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'tool' })])
    await bench.run(logChanges)

    await bench.catalog.put('skills', [{ ...aSkill({ repo: 'tool' }), crawledBy: 'a machine' }])

    expect(await bench.run(logChanges)).toEqual({ published: 0, removed: 0 })
  })

  test('more skills than one batch holds are all logged', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(2_345))

    expect(await bench.run(logChanges)).toEqual({ published: 2_345, removed: 0 })
    expect(await told(bench.changes)).toHaveLength(2_345)
  })

  test('what an export has published is told as removed, however soon it is', async () => {
    const bench = await openJobBench()
    await bench.run(logChanges)
    await bench.catalog.put('skills', [aSkill({ repo: 'short-lived' })])
    await bench.run(writeExports)
    await bench.catalog.remove('skills', ['acme/short-lived'])

    await bench.run(logChanges)

    expect(await told(bench.changes)).toEqual(['-acme/short-lived'])
  })

  test('a run that ends between two batches goes on where it was, and skips and repeats nothing', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(1_500))
    let batches = 0
    const failing = overlaid(bench.changes, {
      append: (batch) => {
        batches += 1
        return batches === 2 ? Promise.reject(new Error('killed')) : bench.changes.append(batch)
      },
    })

    await expect(bench.run(logChanges, { changes: failing })).rejects.toThrow('killed')
    expect(await bench.changes.position()).toMatchObject({ complete: false })

    expect(await bench.run(logChanges)).toEqual({ published: 500, removed: 0 })
    expect(new Set(await told(bench.changes)).size).toBe(1_500)
    expect(await bench.changes.position()).toMatchObject({ complete: true })
  })

  test('a writer that decided by an older state of the log is refused, and the next run tells the present one', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'tool', description: 'old' })])
    const late = overlaid(bench.changes, {
      append: async (batch) => {
        // It stood still here, and meanwhile another one took over.
        await bench.catalog.put('skills', [aSkill({ repo: 'tool', description: 'new' })])
        const stretch = await bench.catalog.changesAfter(null, 10)
        await bench.changes.append({
          onto: batch.onto,
          changes: [{ id: 'acme/tool', contentHash: 'of the other' }],
          watermark: stretch.watermark,
          complete: true,
          at: batch.at,
        })
        return bench.changes.append(batch)
      },
    })

    await expect(bench.run(logChanges, { changes: late })).rejects.toMatchObject({ code: 'lock_lost' })
    expect(await bench.changes.logged(['acme/tool'])).toEqual([{ id: 'acme/tool', contentHash: 'of the other' }])
  })
})

describe('verify-changes', () => {
  test('finds nothing to do where the log says what the catalog holds', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill(), aSkill(), aSkill({ state: 'hidden' }), aSkill({ name: '' })])
    await bench.run(logChanges)

    expect(await bench.run(verifyChanges)).toEqual({ compared: 3, mended: 0, dropped: 0 })
  })

  test('leaves a catalog that has yet to be logged to the writer', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', manySkills(1_200))

    expect(await bench.run(verifyChanges)).toEqual({ waitingFor: 'log-changes' })
    expect(await told(bench.changes)).toEqual([])
  })

  test('what the log missed is logged', async () => {
    const bench = await openJobBench()
    const skills = manySkills(1_200)
    await bench.catalog.put('skills', skills)
    const { watermark } = await bench.catalog.changesAfter(null, 10_000)
    await bench.changes.append({
      onto: 0,
      changes: [
        { id: String(skills[0]?.id), contentHash: 'of something else' },
        { id: 'acme/deleted', contentHash: 'of something' },
      ],
      watermark,
      complete: true,
      at: new Date(),
    })
    expect(await bench.run(logChanges)).toEqual({ published: 0, removed: 0 })

    expect(await bench.run(verifyChanges)).toEqual({ compared: 1_201, mended: 1_201, dropped: 0 })
    expect(await told(bench.changes)).toContain('-acme/deleted')
    expect(await bench.run(verifyChanges)).toMatchObject({ mended: 0 })
  })

  test('removals are dropped when they have been told for as long as configured', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'kept' }), aSkill({ repo: 'gone' })])
    await bench.run(logChanges)
    await bench.catalog.remove('skills', ['acme/gone'])
    await bench.run(logChanges)
    const inDays = (days: number) => () => new Date(Date.now() + days * 86_400_000)

    expect(await bench.run(verifyChanges, { clock: inDays(89) })).toMatchObject({ dropped: 0 })
    expect(await told(bench.changes)).toEqual(['acme/kept', '-acme/gone'])
    expect(await bench.run(verifyChanges, { clock: inDays(91) })).toMatchObject({ dropped: 1 })
    expect(await told(bench.changes)).toEqual(['acme/kept'])
  })

  test('waits for a writer that is under way', async () => {
    const bench = await openJobBench()
    await bench.run(logChanges)
    await bench.catalog.put('skills', [aSkill()])
    const writing = await bench.catalog.lock('log-changes')
    let ended = false
    const verifying = bench.run(verifyChanges).then((result) => {
      ended = true
      return result
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(ended).toBe(false)

    await writing?.release()
    expect(await verifying).toMatchObject({ mended: 1 })
  })
})

const manySkills = (count: number) => Array.from({ length: count }, (_, place) => aSkill({ repo: `many-${place}` }))
