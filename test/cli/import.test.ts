import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../shared/records/skill.js'
import { aQuery } from '../support/factories.js'
import { fileOf, line } from '../support/import-input.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('import', () => {
  test('adds records, indexes them, and prints the counts', async () => {
    const folder = temporaryFolder()
    const file = fileOf('skills.ndjson', line('pdf', { description: 'Reads documents' }) + line('csv'))

    const { status, stdout, stderr } = await runCatalog(folder, ['import', file, '--type', 'skills'])

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^2 skills read: 2 added, 0 changed, 0 unchanged, 0 rejected \(.*\)\nSearch index: 2 published/,
    )
    const page = await withStoresOf(folder, ({ index }) => index.search(aQuery('documents')))
    expect(page.hits.map((hit) => skillOf(hit).id)).toEqual(['acme/pdf'])
  })

  test('says when an organization is shown', async () => {
    const file = fileOf('organizations.ndjson', '{"login": "acme"}\n')

    const { status, stdout } = await runCatalog(temporaryFolder(), ['import', file, '--type', 'organizations'])

    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining(
        '\nAn organization is shown, and counted in the statistics, once it has a published skill.\n',
      ),
    ])
  })

  test('prints how many records of the source are removals', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('skills.ndjson', line('a')), '--type', 'skills', '--no-update'])
    const file = fileOf('skills.ndjson', line('a', { state: 'removed' }))

    const { stdout } = await runCatalog(folder, ['import', file, '--type', 'skills', '--no-update'])

    expect(stdout).toContain('1 skill read: 0 added, 0 changed, 0 unchanged, 1 removed, 0 rejected')
  })

  test('prints the same counts as one line of JSON, and none changed for the second import', async () => {
    const folder = temporaryFolder()
    const args = ['import', fileOf('skills.ndjson', line('pdf') + line('csv')), '--type', 'skills', '--json']

    const first = await runCatalog(folder, args)
    const second = await runCatalog(folder, args)

    expect(first.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(first.json).toEqual({
      command: 'import',
      status: 0,
      type: 'skills',
      dryRun: false,
      read: 2,
      added: 2,
      changed: 0,
      unchanged: 0,
      removed: 0,
      rejected: 0,
      droppedValues: 0,
      leftOut: 0,
      droppedTexts: 0,
      repeatedIds: 0,
      replacedRecords: 0,
      sourcesRead: 1,
      sourcesUnreadable: 0,
      notReplaced: null,
      importMs: expect.any(Number),
      recordsPerSecond: expect.any(Number),
      sync: { published: 2, removed: 0, rejected: 0 },
      exports: expect.objectContaining({ files: 9, rows: 3 }),
      stats: expect.objectContaining({ skills: 2, organizations: 1 }),
      durationMs: expect.any(Number),
    })
    expect(second.json).toMatchObject({ status: 0, added: 0, changed: 0, unchanged: 2 })
    expect(second.json['sync']).toEqual({ published: 0, removed: 0, rejected: 0 })
    const { stdout } = await runCatalog(folder, args.slice(0, -1))
    expect(stdout).toMatch(/2 unchanged.*\nSearch index: up to date\n/)
  })
})

test('dropped values of accepted records are counted, and listed with --verbose', async () => {
  const file = fileOf(
    'a.ndjson',
    line('a', { homepage: 'javascript:1' }) + line('b') + line('c', { name: 'x'.repeat(300) }),
  )
  const args = ['import', file, '--type', 'skills', '--no-update']

  const brief = await runCatalog(temporaryFolder(), args)
  const verbose = await runCatalog(temporaryFolder(), [...args, '--verbose'])
  const json = await runCatalog(temporaryFolder(), [...args, '--json', '--replace'])

  expect([brief.status, brief.stderr]).toEqual([0, ''])
  expect(brief.stdout).toContain('\nValues dropped from these records: 2; --verbose lists them\n')
  expect(verbose.stderr).toBe(
    `${file}, line 1: dropped: homepage: must be an http or https address, not "javascript:1"\n` +
      `${file}, line 3: dropped: name: all after 200 of its 300 characters\n`,
  )
  expect(verbose.stdout).toContain('\nValues dropped from these records: 2\n')
  expect([json.json['droppedValues'], json.stderr]).toEqual([2, ''])
})

describe('import --dry-run', () => {
  test('reports the changes, and does not even create the folder', async () => {
    const folder = join(temporaryFolder(), 'data')
    const file = fileOf('skills.ndjson', line('a') + line('b'))

    const { status, stdout } = await runCatalog(folder, ['import', file, '--type', 'skills', '--dry-run'])

    expect(status).toBe(0)
    expect(stdout).toMatch(/2 added.*\nNothing was written: this was a dry run\.\n$/)
    expect(existsSync(folder)).toBe(false)
  })
})
