import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../shared/records/skill.js'
import { aQuery } from '../support/factories.js'
import { fileOf, line, skillIds } from '../support/import-input.js'
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
  })

  test('reads a tree of SKILL.md files', async () => {
    const [folder, tree] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(tree, 'acme', 'pdf'), { recursive: true })
    writeFileSync(join(tree, 'acme', 'pdf', 'SKILL.md'), '---\nname: PDF tools\ntags: [pdf]\n---\n# PDF\n')
    mkdirSync(join(tree, 'acme', 'bad'))
    writeFileSync(join(tree, 'acme', 'bad', 'SKILL.md'), '# Nothing\n')

    const { status, stderr } = await runCatalog(folder, ['import', tree, '--type', 'skills'])

    expect(status).toBe(1)
    expect(stderr).toBe(
      `${join(tree, 'acme', 'bad', 'SKILL.md')}, front matter: is missing, and no text is there that says what the skill does: begin the file with its name and description between two lines of ---\n`,
    )
    expect(await skillIds(folder)).toEqual(['acme/pdf'])
  })

  test('keeps a contributor’s address out of everything public', async () => {
    const folder = temporaryFolder()
    const prompts = fileOf(
      'prompts.csv',
      'act,prompt,contributor\nPoet,Write a poem.,"jane@mail.example,kim"\nCook,Cook.,joe@mail.example\n',
    )

    const { status } = await runCatalog(folder, ['import', prompts, '--type', 'prompts'])

    expect(status).toBe(0)
    const { rows } = await withStoresOf(folder, ({ catalog }) => catalog.exportRows('prompts', 10))
    expect(rows.map(({ title, author }) => [title, author]).sort()).toEqual([
      ['Cook', null],
      ['Poet', 'kim'],
    ])
    expect(JSON.stringify(rows)).not.toContain('mail.example')
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

test('an import with nothing to index reports that the index is up to date', async () => {
  const folder = temporaryFolder()
  const args = ['import', fileOf('a.ndjson', line('a')), '--type', 'skills']
  await runCatalog(folder, args)

  const again = await runCatalog(folder, args)
  const asJson = await runCatalog(folder, [...args, '--json'])

  expect(again.stdout).toMatch(/1 unchanged.*\nSearch index: up to date\n/)
  expect(asJson.json).toMatchObject({ sync: { published: 0, removed: 0, rejected: 0 } })
})
