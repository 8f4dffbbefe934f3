import { describe, expect, test } from '@jest/globals'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aPrompt, aSkill, makeSkills } from '../support/factories.js'
import { followMirror, mirror, partSizes, skillsIn, skillsOf, startSource } from '../support/mirror.js'
import { startHttpRelay } from '../support/relays.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { inDays, runOnce } from '../support/run-once.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp } from '../support/test-app.js'
import { until } from '../support/until.js'

describe('mirror', () => {
  const large = sharedTestApp({ skills: makeSkills(1_200) })
  const published = sharedTestApp({ skills: makeSkills(50) }, (api) => api.publishExports())
  const empty = sharedTestApp({})

  test('starts from the export, follows the changes, and is equal', async () => {
    const source = await startSource([...makeSkills(30), aSkill({ state: 'hidden' })])
    await source.publishExports()
    const folder = temporaryFolder()

    const first = await mirror(source.url, folder)
    expect([first.status, first.stderr]).toEqual([0, ''])
    expect(first.json).toMatchObject({ from: 'export', skills: 30, published: 30, removed: 0, verified: null })
    expect(await skillsIn(folder)).toEqual(await skillsOf(source.stores))

    await source.stores.catalog.put('skills', [aSkill({ repo: 'many-3', stars: 1_000 }), aSkill({ repo: 'new' })])
    await source.stores.catalog.remove('skills', ['acme/many-5'])
    await source.stores.catalog.put('skills', [aSkill({ repo: 'many-7', state: 'hidden' })])
    const second = await mirror(source.url, folder, '--verify')

    expect(second.status).toBe(0)
    expect(second.json).toMatchObject({
      from: null,
      skills: 29,
      published: 2,
      removed: 2,
      restarts: 0,
      verified: { compared: 29, missing: 0, extra: 0, different: 0 },
    })
    expect(await skillsIn(folder)).toEqual(await skillsOf(source.stores))
    // A service does not load its sample into the folder.
    expect(await withStoresOf(folder, ({ catalog }) => catalog.readState(stateKeys.sample))).toBeNull()
  })

  test('starts from the changes when there is no export, and prints a summary', async () => {
    const args = ['mirror', `${large().url}/`, temporaryFolder(), '--verify']
    const { status, stdout } = await runCatalog(temporaryFolder(), args)

    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^mirror: 1,200 skills from http:\S+\d; started from its changes; 1,200 published, 0 removed; 1,200 compared: 0 missing, 0 extra, 0 different \(.*\)\nprompts: none copied, .*\norganizations: none copied, .*\n$/,
    )
  })

  test('a truncated export is not used', async () => {
    const relay = await startHttpRelay(published().url)
    relay.script = async ({ path }, forward) => {
      const answer = await forward()
      const body = answer.body.toString().replaceAll('"truncated":false', '"truncated":true')
      return path === '/api/v1/exports' ? { ...answer, headers: {}, body } : answer
    }

    expect((await mirror(relay.url, temporaryFolder())).json).toMatchObject({ from: 'changes', skills: 50 })
  })

  test('an interrupted download is resumed', async () => {
    const relay = await startHttpRelay(published().url)
    const folder = temporaryFolder()
    const arrived = async () => {
      await until(() => partSizes(folder)[0] === 1_000)
    }
    relay.script = async ({ path, headers }, forward) => {
      const answer = await forward()
      const whole = path.endsWith('skills.ndjson') && headers.range === undefined
      return whole ? { ...answer, cut: { afterBytes: 1_000, when: arrived } } : answer
    }

    const { json, stderr } = await mirror(relay.url, folder)

    expect(json).toMatchObject({ status: 0, from: 'export', skills: 50 })
    expect(stderr).toContain('retrying')
    const downloads = relay.requests.filter(({ path }) => path.endsWith('skills.ndjson'))
    expect(downloads.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=1000-'])
    expect(await skillsIn(folder)).toEqual(await skillsOf(published().stores))
  })

  test('an export with another hash is refused', async () => {
    const relay = await startHttpRelay(published().url)
    relay.script = async ({ path }, forward) => {
      const answer = await forward()
      return path.endsWith('.ndjson') ? { ...answer, body: answer.body.toString().replace('many', 'evil') } : answer
    }
    const folder = temporaryFolder()

    expect((await mirror(relay.url, folder)).json).toMatchObject({ status: 2, error: { code: 'download_damaged' } })
    expect(await skillsIn(folder)).toEqual([])
    // Downloaded twice, and deleted.
    expect(relay.requests.filter(({ path }) => path.endsWith('skills.ndjson'))).toHaveLength(2)
    expect(partSizes(folder)).toEqual([])
    relay.script = (_request, forward) => forward()
    expect((await mirror(relay.url, folder)).json).toMatchObject({ status: 0, skills: 50 })
  })

  test('is resumed after SIGKILL', async () => {
    const relay = await startHttpRelay(large().url)
    let pages = 0
    let reached = () => {}
    const atSecond = new Promise<void>((resolve) => {
      reached = resolve
    })
    relay.script = async ({ path }, forward) => {
      pages += path.startsWith('/api/v1/changes') ? 1 : 0
      if (pages === 2) {
        reached()
        await new Promise(() => undefined)
      }
      return forward()
    }
    const folder = temporaryFolder()
    const killed = startCatalog(temporaryFolder(), ['mirror', relay.url, folder])
    await atSecond
    killed.signal('SIGKILL')
    await killed.ended
    relay.script = (_request, forward) => forward()

    const again = await mirror(relay.url, folder)

    expect(again.json).toMatchObject({ status: 0, skills: 1_200, published: 200 })
    expect(await skillsIn(folder)).toEqual(await skillsOf(large().stores))
  })

  test('that has not run for too long is copied again, without removed skills', async () => {
    const source = await startSource(makeSkills(5))
    const folder = temporaryFolder()
    await mirror(source.url, folder)
    await source.stores.catalog.remove('skills', ['acme/many-2'])
    await source.stores.catalog.put('skills', [aSkill({ repo: 'new' })])
    await runOnce(reconcile, source.stores, { clock: inDays(100) })

    const { json, stderr } = await mirror(source.url, folder, '--verify')

    expect(json).toMatchObject({ status: 0, restarts: 1, from: 'changes', skills: 5, published: 1, removed: 1 })
    expect(stderr).toContain('copied again from the start')
    expect(await skillsIn(folder)).toEqual(await skillsOf(source.stores))
  })

  test('an export older than the kept changes is not used', async () => {
    const source = await startSource(makeSkills(5))
    await source.publishExports()
    await source.stores.catalog.remove('skills', ['acme/many-2'])
    await runOnce(reconcile, source.stores, { clock: inDays(100) })

    const { json } = await mirror(source.url, temporaryFolder(), '--verify')

    expect(json).toMatchObject({ status: 0, from: 'changes', restarts: 0, skills: 4 })
  })

  test('follows the source until it is stopped', async () => {
    const source = await startSource(makeSkills(2))
    const folder = temporaryFolder()
    const following = followMirror(source.url, folder)
    await withStoresOf(folder, async (stores) => {
      const untilCopied = async (count: number) => {
        await until(async () => (await skillsOf(stores)).length >= count)
      }
      await untilCopied(2)
      await source.stores.catalog.put('skills', [aSkill({ repo: 'later' })])
      await untilCopied(3)
    })
    const second = await mirror(source.url, folder)
    following.signal('SIGINT')
    const { status, json } = await following.ended

    expect(second.json).toMatchObject({ status: 2, error: { code: 'mirror_running' } })
    expect([status, json]).toEqual([0, expect.objectContaining({ skills: 3, published: 3 })])
  })

  test('a folder with another catalog is not changed, and an invalid address is refused', async () => {
    const [folder, ofPrompts, copy] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    await withStoresOf(folder, ({ catalog }) => catalog.put('skills', [aSkill({ repo: 'mine' })]))
    await withStoresOf(ofPrompts, ({ catalog }) => catalog.put('prompts', [aPrompt({ id: 'mine' })]))
    await mirror(empty().url, copy)

    for (const other of [folder, ofPrompts]) {
      expect((await mirror(published().url, other)).json).toMatchObject({
        status: 2,
        error: { code: 'folder_not_a_mirror' },
      })
    }
    expect((await mirror('http://127.0.0.1:1', copy)).json).toMatchObject({
      status: 2,
      error: { code: 'folder_not_a_mirror', message: expect.stringContaining(empty().url) },
    })
    expect((await mirror('catalog.example', copy)).json).toMatchObject({ status: 2, error: { code: 'bad_arguments' } })
    expect(await skillsIn(folder)).toHaveLength(1)
  })

  test('of a source that was replaced by another catalog changes nothing, until it is back', async () => {
    const source = await startSource(makeSkills(5))
    const other = await startSource([aSkill({ repo: 'another-catalog' })])
    const relay = await startHttpRelay(source.url)
    const folder = temporaryFolder()
    expect((await mirror(relay.url, folder)).status).toBe(0)
    const copied = await skillsIn(folder)

    relay.script = async ({ path, params }) => {
      const answer = await fetch(`${other.url}${path}?${params}`)
      return { status: answer.status, headers: {}, body: Buffer.from(await answer.arrayBuffer()) }
    }
    const replaced = await mirror(relay.url, folder)

    expect([replaced.status, replaced.json]).toMatchObject([2, { error: { code: 'source_replaced' } }])
    expect(await skillsIn(folder)).toEqual(copied)

    relay.script = (_, forward) => forward()
    await source.stores.catalog.put('skills', [aSkill({ repo: 'after-the-loss' })])
    expect((await mirror(relay.url, folder, '--verify')).json).toMatchObject({ skills: 6, verified: { different: 0 } })
  })

  test('writes at the source during the comparison are no differences', async () => {
    const source = await startSource(makeSkills(150))
    const relay = await startHttpRelay(source.url)
    let pages = 0
    relay.script = async ({ path }, forward) => {
      pages += path.startsWith('/api/v1/skills') ? 1 : 0
      if (pages === 2) {
        pages += 1
        await source.stores.catalog.put('skills', [aSkill({ repo: 'many-140', stars: 9 }), aSkill({ repo: 'new' })])
        await source.stores.catalog.remove('skills', ['acme/many-149', 'acme/many-0'])
      }
      return forward()
    }
    const folder = temporaryFolder()

    const { json } = await mirror(relay.url, folder, '--verify')

    expect(json).toMatchObject({ status: 0, verified: { missing: 0, extra: 0, different: 0 } })
    expect(await skillsIn(folder)).toEqual(await skillsOf(source.stores))
  })
})
