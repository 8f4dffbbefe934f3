import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../shared/records/skill.js'
import { aQuery } from '../support/factories.js'
import { parseFound } from '../support/found-skills.js'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { testOfPermissions } from '../support/permissions.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
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

describe('import of bad input', () => {
  test('reports each rejected record with file, line and reason, and continues', async () => {
    const folder = temporaryFolder()
    const file = fileOf(
      'skills.ndjson',
      `\ufeff${line('a')}{"owner":"acme"\n${line('b', { state: 'lost' })}{"owner":"acme","repo":"${'x'.repeat(5_000_000)}"}\n{"owner":"acme","repo":"c","name":"C\\udc00"}\n`,
    )

    const { status, stderr, json } = await runCatalog(folder, ['import', file, '--type', 'skills', '--json'])

    expect(status).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^${file}, line 2: is not valid JSON`),
      `${file}, line 3: state: must say whether it is published, for instance published, hidden or removed, not "lost"`,
      `${file}, line 4: is longer than the 1048576 bytes that a record may have`,
    ])
    expect(json).toMatchObject({ status: 1, read: 5, added: 2, rejected: 3 })
    expect(parseFound(await withStoresOf(folder, ({ catalog }) => catalog.findSkill('acme/c')))).toMatchObject({
      skill: { name: 'C' },
    })
  })

  test('says in a sentence that a file is empty, or that its records are of another type', async () => {
    const folder = temporaryFolder()
    const run = (file: string, type: string) => runCatalog(folder, ['import', file, '--type', type, '--dry-run'])

    for (const [name, content] of [
      ['empty.csv', ''],
      ['empty.json', '[]'],
      ['head.csv', 'owner,repo\n'],
    ] as const) {
      expect(await run(fileOf(name, content), 'skills')).toMatchObject({
        status: 0,
        stderr: 'There are no records in what was read: it is empty.\n',
      })
    }
    const skills = fileOf('skills.ndjson', line('a') + line('b'))
    expect((await run(skills, 'prompts')).stderr).toMatch(
      /line 2: .*\nThese records look like skills, and not like prompts: give --type skills\.\n$/,
    )
    const prompts = fileOf('prompts.json', '[{"id": "poem", "title": "Poem", "prompt": "Write one."}]')
    expect((await run(prompts, 'skills')).stderr).toContain('These records look like prompts, and not like skills')
    const mixed = fileOf('mixed.ndjson', `${line('a')}{"id": "poem", "title": "Poem", "prompt": "Write one."}\n`)
    expect((await run(mixed, 'skills')).stderr).not.toContain('look like')
  })

  test('says how to name whose a folder of skills is', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'mail'))
    writeFileSync(join(folder, 'mail', 'SKILL.md'), '---\nname: mail\ndescription: Sends.\n---\n')

    const { stderr } = await runCatalog(temporaryFolder(), ['import', folder, '--type', 'skills', '--dry-run'])

    expect(stderr).toMatch(
      /it does not say whose it is: .*\. Import its folder with --repository owner\/repo; a list of .* \.txt file/,
    )
  })

  test('reports the first 20 and the number of the others, or all with --verbose', async () => {
    const args = ['import', fileOf('skills.ndjson', '{}\n'.repeat(50)), '--type', 'skills', '--dry-run']

    const brief = await runCatalog(temporaryFolder(), args)
    const verbose = await runCatalog(temporaryFolder(), [...args, '--verbose'])

    expect(brief.stderr.trimEnd().split('\n')).toHaveLength(21)
    expect(brief.stderr).toContain('... and 30 more rejected records; --verbose lists all of them.')
    expect(verbose.stderr.trimEnd().split('\n')).toHaveLength(50)
    expect([brief.status, verbose.status]).toEqual([1, 1])
  })

  test('reports that a CSV with a missing quote was not read completely', async () => {
    const folder = temporaryFolder()
    const file = fileOf('skills.csv', 'owner,repo\nacme,pdf\nacme,"csv\nacme,xml\n')

    const { status, stderr } = await runCatalog(folder, ['import', file, '--type', 'skills'])

    expect(status).toBe(1)
    expect(stderr).toContain(`${file} could not be read on from line 3: a quoted cell begins there`)
    expect(stderr).toContain('Some sources were not read completely')
    expect(await skillIds(folder)).toEqual(['acme/pdf'])
  })

  test('continues after an unreadable source, and ends with 2 when there is no other', async () => {
    const folder = temporaryFolder()
    const missing = join(folder, 'missing.ndjson')

    const both = await runCatalog(folder, ['import', missing, fileOf('a.ndjson', line('a')), '--type', 'skills'])
    const alone = await runCatalog(folder, ['import', missing, '--type', 'skills'])

    expect([both.status, alone.status]).toEqual([1, 2])
    expect(both.stderr).toContain(`${missing} does not exist. Check the path.`)
    expect(alone.stderr).toContain('Nothing could be read.')
    expect(alone.stdout).toBe('')
    expect(await skillIds(folder)).toEqual(['acme/a'])
  })

  testOfPermissions('reports a folder without permission and imports the rest', async (withPermissions) => {
    const tree = temporaryFolder()
    mkdirSync(join(tree, 'closed'))
    writeFileSync(join(tree, 'closed', 'b.ndjson'), line('b'))
    writeFileSync(join(tree, 'a.ndjson'), line('a'))
    chmodSync(join(tree, 'closed'), 0o000)

    const { status, stderr, json } = await startCatalog(
      join(tree, 'data'),
      ['import', tree, '--type', 'skills', '--dry-run', '--json'],
      { wrap: withPermissions },
    ).ended
    chmodSync(join(tree, 'closed'), 0o755)

    expect(stderr).toContain(`${join(tree, 'closed')} may not be read by this user. Check its permissions.`)
    expect([status, json['added']]).toEqual([1, 1])
  })

  test('says that its records are written when the export files cannot be', async () => {
    const folder = temporaryFolder()
    const args = (repo: string) => ['import', fileOf('skills.ndjson', line(repo)), '--type', 'skills']
    await runCatalog(folder, args('first'))
    rmSync(join(folder, 'exports', 'manifest.json'))
    mkdirSync(join(folder, 'exports', 'manifest.json', 'x'), { recursive: true })

    const { status, json, stderr } = await runCatalog(folder, [...args('second'), '--json'])

    expect([status, json]).toMatchObject([2, { error: { code: expect.stringMatching(/^exports_/) } }])
    expect(stderr).toMatch(
      /^The records are written, but not all that is made from them\. .* run npm run catalog -- sync/,
    )
    expect(await skillIds(folder)).toContain('acme/second')
  })

  test('refuses a folder without records, and SKILL.md files as prompts', async () => {
    const tree = temporaryFolder()
    const empty = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'skills'])
    writeFileSync(join(tree, 'SKILL.md'), '---\nname: a\n---\n')
    const prompts = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'prompts'])
    const named = await runCatalog(temporaryFolder(), ['import', fileOf('SKILL.md', '# Poet\n'), '--type', 'prompts'])

    expect([empty.status, prompts.status, named.status]).toEqual([2, 2, 2])
    expect(empty.stderr).toContain('There is nothing to read in')
    expect(prompts.stderr).toContain('Use --type skills.')
    expect(named.stderr).toContain('Use --type skills.')
  })

  test('prints no control characters of its input to the terminal', async () => {
    const file = fileOf('a.csv', '\u001b[31mowner\u009b2J,x\n1,2\n')

    const { stderr } = await runCatalog(temporaryFolder(), ['import', file, '--type', 'prompts'])

    expect(stderr).toContain('?[31mowner?2J')
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})
