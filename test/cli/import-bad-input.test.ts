import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { parseFound } from '../support/parse-found.js'
import { testOfPermissions } from '../support/permissions.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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
      expect.stringMatching(`^${file}, line 2: is not valid JSON: `),
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

  test('refuses a folder without records, and SKILL.md files as prompts', async () => {
    const tree = temporaryFolder()
    const empty = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'skills'])
    writeFileSync(join(tree, 'SKILL.md'), '---\nname: a\n---\n')
    const prompts = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'prompts'])

    expect([empty.status, prompts.status]).toEqual([2, 2])
    expect(empty.stderr).toContain('There is nothing to read in')
    expect(prompts.stderr).toContain('Use --type skills.')
  })

  test('prints no control characters of its input to the terminal', async () => {
    const file = fileOf('a.csv', '\u001b[31mowner\u009b2J,x\n1,2\n')

    const { stderr } = await runCatalog(temporaryFolder(), ['import', file, '--type', 'prompts'])

    expect(stderr).toContain('?[31mowner?2J')
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})
