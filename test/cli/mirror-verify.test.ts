import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startRelay } from '../support/http-relay.js'
import { makeSkills, mirror, skillsIn, skillsOf, startSource } from '../support/mirror.js'
import { withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('mirror --verify', () => {
  test('reports every difference, and the status is 1', async () => {
    const source = await startSource(makeSkills(5))
    const folder = temporaryFolder()
    await mirror(source.url, folder)
    await withStoresOf(folder, async ({ catalog }) => {
      await catalog.remove('skills', ['acme/many-1'])
      await catalog.put('skills', [aSkill({ repo: 'many-2', stars: 77 }), aSkill({ repo: 'made-up' })])
    })

    const { status, json, stderr } = await mirror(source.url, folder, '--verify')

    expect(status).toBe(1)
    expect(json).toMatchObject({ verified: { compared: 6, missing: 1, extra: 1, different: 1 } })
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      'acme/made-up: in the copy, but not at the source',
      'acme/many-1: at the source, but not in the copy',
      'acme/many-2: in the copy with different content',
    ])
  })

  test('writes at the source during the comparison are no differences', async () => {
    const source = await startSource(makeSkills(150))
    const relay = await startRelay(source.url)
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
