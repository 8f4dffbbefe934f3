import { describe, expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { followMirror, mirror, skillsIn, snapshotRecordsIn, snapshotRecordsOf, startSource } from '../support/mirror.js'
import { startHttpRelay } from '../support/relays.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp } from '../support/test-app.js'
import { until } from '../support/until.js'

const [changed, missing] = [
  aSkill({ owner: 'Globex', repo: 'changed', stars: 3, topics: ['pdf'] }),
  aSkill({ owner: 'acme', repo: 'missing', stars: 5 }),
]
const skills = [changed, missing]

describe('mirror of prompts and organizations', () => {
  const published = sharedTestApp(
    {
      skills,
      prompts: [
        aPrompt({ id: 'one', author: 'ann', topics: ['a'] }),
        aPrompt({ id: 'two' }),
        aPrompt({ state: 'hidden' }),
      ],
      organizations: [anOrganization({ login: 'acme', name: 'Acme', url: 'https://acme.example/' })],
    },
    (api) => api.publishExports(),
  )

  test('copies them from the newest snapshot, and computes the derived fields', async () => {
    const folder = temporaryFolder()

    const { json, status, stderr } = await mirror(published().url, folder, '--verify')

    expect([status, stderr]).toEqual([0, ''])
    const equal = { missing: 0, extra: 0, different: 0 }
    expect(json).toMatchObject({
      prompts: {
        count: 2,
        published: 2,
        removed: 0,
        snapshot: { rows: 2, total: 2 },
        verified: { compared: 2, ...equal },
      },
      organizations: { count: 2, published: 2, removed: 0, verified: { compared: 2, ...equal } },
    })
    expect(await snapshotRecordsIn(folder)).toEqual(await snapshotRecordsOf(published().stores))
  })

  test('applies a newer snapshot: changed records are written, missing ones removed, equal files not downloaded again', async () => {
    const source = await startSource(skills, {
      prompts: [aPrompt({ id: 'one' }), aPrompt({ id: 'two' })],
      organizations: [anOrganization({ login: 'acme', name: 'Acme' })],
    })
    await source.publishExports()
    const relay = await startHttpRelay(source.url)
    const folder = temporaryFolder()
    await mirror(relay.url, folder)
    const downloads = () => relay.requests.filter(({ path }) => /(prompts|organizations)\.ndjson$/.test(path)).length

    await mirror(relay.url, folder)
    expect(downloads()).toBe(2)

    const { catalog } = source.stores
    await catalog.put('prompts', [aPrompt({ id: 'one', title: 'Changed' }), aPrompt({ id: 'three' })])
    await catalog.remove('prompts', ['two'])
    await catalog.put('organizations', [anOrganization({ login: 'acme', name: null })])
    await source.publishExports()
    const { json } = await mirror(relay.url, folder, '--verify')

    expect(json).toMatchObject({
      status: 0,
      prompts: { count: 2, published: 2, removed: 1, verified: { missing: 0, extra: 0, different: 0 } },
      organizations: { count: 2, published: 1, removed: 0, verified: { missing: 0, extra: 0, different: 0 } },
    })
    expect(await snapshotRecordsIn(folder)).toEqual(await snapshotRecordsOf(source.stores))
  })

  test('what the operator of a copy has hidden stays hidden when the source changes it', async () => {
    const source = await startSource(skills, { prompts: [aPrompt({ id: 'one' })] })
    await source.publishExports()
    const folder = temporaryFolder()
    await mirror(source.url, folder)
    const set = async (command: 'hide' | 'unhide') => {
      await runCatalog(folder, [command, changed.id, '--no-update'])
      await runCatalog(folder, [command, 'one', '--type', 'prompts', '--no-update'])
    }
    const shown = async () => [
      ...(await skillsIn(folder)).map(({ id, stars }) => [id, stars]),
      ...(await snapshotRecordsIn(folder)).prompts.map(({ id, title }) => [id, title]),
    ]
    await set('hide')

    await source.stores.catalog.put('skills', [{ ...changed, stars: 4 }])
    await source.stores.catalog.put('prompts', [aPrompt({ id: 'one', title: 'Changed' })])
    await source.publishExports()
    expect((await mirror(source.url, folder)).status).toBe(0)
    expect(await shown()).toEqual([['acme/missing', 5]])

    // Neither when the source lacks it for a time.
    for (const state of ['hidden', 'published'] as const) {
      await source.stores.catalog.setStates('skills', [{ id: changed.id, state, removedAt: null }])
      await source.stores.catalog.setStates('prompts', [{ id: 'one', state, removedAt: null }])
      await source.publishExports()
      expect((await mirror(source.url, folder)).status).toBe(0)
      expect(await shown()).toEqual([['acme/missing', 5]])
    }

    await set('unhide')
    expect(await shown()).toEqual([
      ['acme/missing', 5],
      ['globex/changed', 4],
      ['one', 'Changed'],
    ])
  })

  test('a truncated export is copied, nothing is removed, and the output reports it', async () => {
    const source = await startSource(skills, { prompts: [aPrompt({ id: 'one' }), aPrompt({ id: 'two' })] })
    await source.publishExports()
    const folder = temporaryFolder()
    const relay = await startHttpRelay(source.url)
    await mirror(relay.url, folder)
    await source.stores.catalog.remove('prompts', ['one'])
    await source.publishExports()
    relay.script = async ({ path }, forward) => {
      const answer = await forward()
      const body = answer.body.toString().replaceAll('"total":1,"truncated":false', '"total":12345,"truncated":true')
      return path === '/api/v1/exports' ? { ...answer, headers: {}, body } : answer
    }

    const { status, stdout } = await runCatalog(temporaryFolder(), ['mirror', relay.url, folder, '--verify'])

    expect(status).toBe(0)
    expect(stdout).toMatch(
      /\nprompts: 2 from the snapshot of 20\S+Z; it contains 1 of 12,345, therefore none are removed from the copy; 0 published, 0 removed; 1 compared: 0 missing, 0 extra, 0 different\n/,
    )
  })

  test('--verify reports every difference, and the status is 1', async () => {
    const folder = temporaryFolder()
    await mirror(published().url, folder)
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.put('prompts', [aPrompt({ id: 'one', content: 'Other.' }), aPrompt({ id: 'made-up' })])
      await catalog.remove('prompts', ['two'])
      await catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Other' })])
      await catalog.put('skills', [aSkill({ ...changed, stars: 77 }), aSkill({ repo: 'made-up' })])
      await catalog.remove('skills', [missing.id])
    })

    const { status, json, stderr } = await mirror(published().url, folder, '--verify')

    expect(status).toBe(1)
    const counts = { compared: 3, missing: 1, extra: 1, different: 1 }
    expect(json).toMatchObject({ verified: counts, prompts: { verified: counts } })
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      'acme/made-up: in the copy, but not at the source',
      'acme/missing: at the source, but not in the copy',
      'globex/changed: in the copy with different content',
      'organizations: acme: in the copy with different content',
      'prompts: made-up: in the copy, but not at the source',
      'prompts: one: in the copy with different content',
      'prompts: two: at the source, but not in the copy',
    ])
  })

  test('a copy of an earlier version, without them, gets them in its next run', async () => {
    const source = await startSource(skills, { prompts: [aPrompt({ id: 'one' })] })
    const folder = temporaryFolder()
    await mirror(source.url, folder)
    await withStoresOf(folder, async ({ catalog }) => {
      const { url, since, complete, stale } = (await catalog.readState<Record<string, unknown>>(stateKeys.mirror)) ?? {}
      await catalog.writeState(stateKeys.mirror, { url, since, complete, stale })
    })
    await source.publishExports()

    const { json } = await mirror(source.url, folder)

    expect(json).toMatchObject({ status: 0, from: null, published: 0, prompts: { count: 1, published: 1 } })
  })

  test('--follow copies the snapshot, and continues with the skills when it is unavailable', async () => {
    const source = await startSource(skills, { prompts: [aPrompt({ id: 'one' })] })
    await source.publishExports()
    const relay = await startHttpRelay(source.url)
    relay.script = async ({ path }, forward) =>
      path.endsWith('prompts.ndjson') ? { status: 403, headers: {}, body: '{}' } : forward()
    const folder = temporaryFolder()
    const following = followMirror(relay.url, folder)
    const changes = () => relay.requests.filter(({ path }) => path.startsWith('/api/v1/changes')).length
    await until(() => relay.requests.some(({ path }) => path.endsWith('prompts.ndjson')))
    await source.stores.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'later' })])
    const before = changes()
    await until(() => changes() >= before + 2)
    following.signal('SIGINT')

    const { status, stderr, json } = await following.ended

    expect([status, json]).toEqual([
      0,
      expect.objectContaining({ skills: 3, prompts: expect.objectContaining({ count: 0 }) }),
    ])
    expect(stderr).toContain('Prompts and organizations were not updated: ')
  })
})
