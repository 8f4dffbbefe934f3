import { describe, expect, test } from '@jest/globals'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('import --replace', () => {
  test('turns what is no longer there into tombstones', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('a.ndjson', line('a') + line('b')), '--type', 'skills'])

    const { status, json } = await runCatalog(folder, [
      'import',
      fileOf('a.ndjson', line('a')),
      '--type',
      'skills',
      '--replace',
      '--json',
    ])

    expect([status, json['removed'], json['sync']]).toEqual([0, 1, { published: 0, removed: 1, rejected: 0 }])
    expect(await withStoresOf(folder, ({ catalog }) => catalog.findSkill('acme/b'))).toMatchObject({ state: 'removed' })
  })

  test('leaves a skill hidden that a moderator has hidden, unless its source says otherwise', async () => {
    const folder = temporaryFolder()
    const states = () => withStoresOf(folder, async ({ catalog }) => (await catalog.findSkill('acme/tool')).state)
    const take = (more: object) =>
      runCatalog(folder, ['import', fileOf('skills.ndjson', line('tool', more)), '--type', 'skills', '--no-update'])

    await take({ state: 'hidden' })
    await take({ description: 'crawled again', private: false })
    expect(await states()).toBe('unknown')

    await take({ state: 'published' })
    expect(await states()).toBe('published')
  })

  test('removes nothing when the source is cut, and ends with 2', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('a.ndjson', line('a') + line('b')), '--type', 'skills'])

    const { status, stderr } = await runCatalog(folder, [
      'import',
      fileOf('a.ndjson', `${line('a')}{"own`),
      '--type',
      'skills',
      '--replace',
    ])

    expect(status).toBe(2)
    expect(stderr).toContain(
      'Nothing was removed, although --replace asks for it: not every source was read to its end.',
    )
    expect(await skillIds(folder)).toEqual(['acme/a', 'acme/b'])
  })
})
